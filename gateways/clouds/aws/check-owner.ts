import { CloudFault } from '../cloud-fault.ts'
import type { AwsAccount } from './aws-account.ts'
import type { AwsSettings } from './aws-settings.ts'
import { checkTrust } from './check-trust.ts'

/** Throws unless the credentials are this account's own, and a role is lent to this organization alone. */
export async function checkOwner(
  settings: AwsSettings,
  account: AwsAccount,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { accountId, credentials } = settings.target
  const [owner] = await Promise.all([
    account.owner(signal),
    'roleArn' in credentials && checkTrust(settings, credentials.roleArn),
  ])
  if (owner === accountId) return
  const whose = /^\d{12}$/.test(owner) ? owner : 'another'
  throw new CloudFault(
    'credentials',
    `These are credentials of account ${whose}, not of ${accountId}. Connect that account, or replace them.`,
  )
}
