import { CloudFault } from '../cloud-fault.ts'
import type { AwsAccount } from './aws-account.ts'

/** Throws unless the credentials are this account's own. */
export async function checkOwner(
  account: AwsAccount,
  accountId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const owner = await account.owner(signal)
  if (owner === accountId) return
  const whose = /^\d{12}$/.test(owner) ? owner : 'another'
  throw new CloudFault(
    'credentials',
    `These are credentials of account ${whose}, not of ${accountId}. Connect that account, or replace them.`,
  )
}
