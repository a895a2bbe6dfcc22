import type { AccountCheck, AccountStatus } from '../clouds/cloud-account.ts'

type Account = {
  status: AccountStatus
  statusReason: string | null
  checks: readonly AccountCheck[]
  hasBilling: boolean
}

/** Why the bills of an account are not read now; null if they are. */
export function whyNotIngested({
  status,
  statusReason,
  checks,
  hasBilling,
}: Account): string | null {
  if (!hasBilling) return 'The account has no billing settings. Add them to read its bills.'
  if (status === 'healthy') return null
  if (status === 'pending')
    return 'The account was not validated yet. Its bills are read by themselves.'
  const billing = checks.find(({ part }) => part === 'billing')
  if (status === 'degraded' && billing?.state === 'ok') return null
  return billing?.reason ?? statusReason ?? 'The account is not healthy.'
}
