import type { Readable } from '../../../domain/clouds/cloud-account.ts'
import { CloudFault } from '../cloud-fault.ts'
import { allowsAction, readableBy, readsAll } from './allowed-actions.ts'
import type { AzureSession } from './azure-session.ts'
import { rolesOf } from './check-account.ts'

export const graphRight = 'Microsoft.ResourceGraph/resources/read'

/**
 * Resource Graph refuses nobody: it leaves out what may not be read. Only the list of rights tells.
 * Returns what each role may read; undefined where one reads every type.
 */
export async function checkRights(
  session: AzureSession,
  signal: AbortSignal | undefined,
): Promise<Readable[] | undefined> {
  const permissions = await rolesOf(session, signal)
  if (!allowsAction(permissions, graphRight))
    throw new CloudFault('denied', `The credentials lack the right ${graphRight}.`, [graphRight])
  return readsAll(permissions) ? undefined : readableBy(permissions)
}
