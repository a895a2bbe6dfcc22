import { whyUnlearned, type BilledGroup } from '../../domain/finops/learned-price.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Store } from '../../store/driver/connect.ts'
import { billedGroups } from '../../store/finops/billed-groups.ts'
import {
  learnedPrices,
  type LearnedGroup,
  type UnlearnedGroup,
} from '../../store/finops/learned-prices.ts'
import { priceLearnings } from '../../store/finops/price-learnings.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'

const maxPrices = 5_000
const maxUnlearned = 1_000

/**
 * Learns what resources of each type and size cost from the organization's own bill, once for each version of
 * its cost. A price that a person entered is not touched, and stands above the learned one. Idempotent:
 * the same bill changes nothing and writes no audit entry.
 */
export async function learnPrices(
  store: Pick<Store, 'tenant'>,
  organizationId: number,
): Promise<void> {
  const version = await store.tenant(organizationId, async (tenant) =>
    priceLearnings(tenant).claim(),
  )
  if (version === undefined) return
  // A transaction of its own: it reads for long, and must not hold the row that others wait for.
  const { groups, currency } = await store.tenant(organizationId, async (tenant) => {
    const settings = await organizationSettings(tenant)
    if (!settings.learnPrices) return { groups: [], currency: undefined }
    return { groups: await billedGroups(tenant, settings.currency), currency: settings.currency }
  })
  if (currency === undefined) return
  const { learned, unlearned } = judge(groups)
  await store.tenant(organizationId, async (tenant) => {
    if (!(await priceLearnings(tenant).hold(version))) return
    const outcome = await learnedPrices(tenant).write(learned, unlearned, currency)
    await priceLearnings(tenant).end(version, currency)
    if (outcome.added + outcome.moved + outcome.removed === 0) return
    await auditLog(tenant, systemActor).record('finops.prices_learned', {
      detail: { ...outcome, prices: learned.length, unlearned: unlearned.length },
    })
  })
}

function judge(groups: readonly BilledGroup[]): {
  learned: LearnedGroup[]
  unlearned: UnlearnedGroup[]
} {
  const learned: LearnedGroup[] = []
  const unlearned: UnlearnedGroup[] = []
  for (const group of groups) {
    const because = whyUnlearned(group)
    const { monthlyPrice } = group
    if (because === undefined && monthlyPrice !== null) learned.push({ ...group, monthlyPrice })
    else if (because !== undefined) unlearned.push({ ...group, because })
  }
  return { learned: learned.slice(0, maxPrices), unlearned: unlearned.slice(0, maxUnlearned) }
}
