import type { Readable } from '../../../domain/clouds/cloud-account.ts'
import { CloudFault } from '../cloud-fault.ts'
import { allowsAction, permissionsIn, readableBy, readsAll } from './allowed-actions.ts'
import type { AzureSession } from './azure-session.ts'

export const graphRight = 'Microsoft.ResourceGraph/resources/read'

/**
 * Resource Graph refuses nobody: it leaves out what may not be read. Only the list of rights tells.
 * Returns what each role may read; undefined where one reads every type.
 */
export async function checkRights(
  session: AzureSession,
  signal: AbortSignal | undefined,
): Promise<Readable[] | undefined> {
  const path = `${session.scope}/providers/Microsoft.Authorization/permissions?api-version=2022-04-01`
  const answer = await session.get(path, {
    action: 'Microsoft.Authorization/permissions/read',
    signal,
  })
  const permissions = permissionsIn(answer)
  if (!allowsAction(permissions, graphRight))
    throw new CloudFault('denied', `The credentials lack the right ${graphRight}.`, [graphRight])
  return readsAll(permissions) ? undefined : readableBy(permissions)
}
