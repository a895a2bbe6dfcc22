import type { Tenant } from '../../store/driver/tenant.ts'
import { unusedCommitments, type UnusedCommitment } from '../../store/finops/unused-commitments.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { announce } from '../notifications/announce.ts'

/** Under this share on each of so many days, a commitment is told of, once. */
const least = 0.8
const days = 3
/** Of one ingest; the next one tells of the others. */
const limit = 20

/**
 * Tells of commitments that are paid for and hardly used. Called in a transaction of its own after a swap.
 * Idempotent: one that was told is left out, by whichever ingest.
 */
export async function tellOfUnusedCommitments(tenant: Tenant): Promise<void> {
  const unused = await unusedCommitments(tenant, { days, least, limit })
  if (unused.length === 0) return
  const { currency } = await organizationSettings(tenant)
  for (const commitment of unused) await tell(tenant, commitment, currency)
}

async function tell(tenant: Tenant, of: UnusedCommitment, ownCurrency: string): Promise<void> {
  const { key, id, name, provider, accountId, firstDay, lastDay, currency } = of
  const [amortised, unused] = [Number(of.amortised), Number(of.unused)]
  const label = name ?? id
  const money = (amount: number) => `${amount.toFixed(2)} ${currency}`
  const utilization = (amortised - unused) / amortised
  await announce(tenant, {
    event: 'commitment.unused',
    subject: { kind: 'commitment', id: key, label: `${provider} ${label}` },
    title: `${Math.floor(utilization * 100)} % of the ${provider} commitment ${label} was used in ${days} days`,
    lines: [
      `From ${firstDay} to ${lastDay} it cost ${money(amortised)}, of which ${money(unused)} was not used.`,
      `It was under ${least * 100} % on each of these days.`,
    ],
    path: '/cost/commitments',
    // Channels compare it with an amount in the organization's currency.
    ...(currency === ownCurrency && { impact: of.unused }),
    scope: { provider, ...(accountId !== null && { accountId }) },
    detail: {
      id,
      name,
      provider,
      accountId,
      firstDay,
      lastDay,
      currency,
      amortised,
      unused,
      utilization,
    },
  })
}
