import { syncPlans } from '../../store/clouds/sync-plans.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { announce } from '../notifications/announce.ts'

/**
 * Announces once that an account is no longer healthy, and once that it is again, however many workers look and
 * whoever moved the status. An account that was never healthy is not announced: the person who connects it sees
 * its status.
 */
export async function tellOfHealth(tenant: Tenant, cloudAccountId: number): Promise<void> {
  const account = await syncPlans(tenant).findUnlocked(cloudAccountId)
  if (!account) return
  const { provider, accountId, name, status, statusReason, healthTold } = account
  const isWell = status === 'healthy'
  const isDue = isWell ? healthTold !== 'well' : status !== 'pending' && healthTold === 'well'
  if (!isDue) return
  await syncPlans(tenant).noteHealthTold(cloudAccountId, isWell ? 'well' : 'unwell')
  if (healthTold === 'unknown') return
  const lines = isWell
    ? ['There is nothing to do.']
    : [
        ...(statusReason === null ? [] : [statusReason]),
        'What was found before stays as it was last seen. You are told when the account is well again.',
      ]
  await announce(tenant, {
    event: isWell ? 'account.recovered' : 'account.degraded',
    subject: { kind: 'cloud_account', id: cloudAccountId, label: name },
    dedupeKey: new Date().toISOString(),
    title: `The cloud account ${name} (${provider} ${accountId}) ${isWell ? 'is well again' : 'needs attention'}`,
    lines,
    path: `/clouds/${cloudAccountId}`,
    scope: { provider, accountId: cloudAccountId },
    detail: { cloudAccountId, provider, accountId, status, statusReason },
  })
}
