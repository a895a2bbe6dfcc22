import { CloudFault } from '../cloud-fault.ts'
import { allowsAction, permissionsIn } from './allowed-actions.ts'
import type { AzureSession } from './azure-session.ts'

export const graphRight = 'Microsoft.ResourceGraph/resources/read'

/** Resource Graph refuses nobody: it leaves out what may not be read. Only the list of rights tells. */
export async function checkRights(
  session: AzureSession,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = `${session.scope}/providers/Microsoft.Authorization/permissions?api-version=2022-04-01`
  const answer = await session.get(path, {
    action: 'Microsoft.Authorization/permissions/read',
    signal,
  })
  if (allowsAction(permissionsIn(answer), graphRight)) return
  throw new CloudFault('denied', `The credentials lack the right ${graphRight}.`, [graphRight])
}
