import type { AccountCheck } from '../../../domain/clouds/cloud-account.ts'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import { settingOf } from '../bills/billing-settings.ts'
import { checkCalls, offCheck } from '../check-parts.ts'
import type { AzureSession } from './azure-session.ts'
import { blobContainer } from './blob-container.ts'

/** Lists one blob of the bill's folder. */
export async function checkContainer(
  session: AzureSession,
  kept: KeptOutbound,
  signal: AbortSignal,
): Promise<AccountCheck> {
  const { billing } = session.target
  if (!billing) return offCheck('billing', 'No bill is set up for this account.')
  const directory = settingOf(billing, 'directory')
  return checkCalls('billing', [blobContainer(session, kept).first(directory, signal)])
}
