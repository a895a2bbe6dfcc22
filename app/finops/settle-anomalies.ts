import type { Store } from '../../store/driver/connect.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { foundAnomalies } from '../../store/finops/found-anomalies.ts'
import { raiseCostVersion } from '../../store/finops/raise-cost-version.ts'
import { explainAnomaly } from './explain-anomaly.ts'
import { tellOfAnomaly } from './tell-of-anomaly.ts'
import type { Written } from './write-anomalies.ts'

/** Charges are read to explain so many anomalies of one scoring, the dearest of those that are told first. */
const explained = 100

type Settled = Pick<Written, 'toExplain'> & {
  organizationId: number
  /** Null: of scopes. */
  sourceId: number | null
  isChanged: boolean
  /** What else a scoring changes of the anomalies; true if it did. */
  tidy: (tenant: Tenant) => Promise<boolean>
}

/** Explains what a scoring found, and tells people of it. Idempotent. */
export async function settleAnomalies(
  store: Store,
  { organizationId, sourceId, toExplain, isChanged, tidy }: Settled,
): Promise<void> {
  // Those that a scoring before this one opened, and broke off before it told of them.
  const left = await store.tenant(organizationId, async (tenant) =>
    foundAnomalies(tenant).untold(sourceId),
  )
  const known = new Set(toExplain.map(({ id }) => id))
  const all = [
    ...toExplain,
    ...left
      .filter(({ id }) => !known.has(id))
      .map(({ id, firstDay, lastDay, impact }) => ({
        id,
        firstDay,
        lastDay,
        isTold: true,
        impact: Number(impact),
      })),
  ]
  const first = all.toSorted((a, b) => Number(b.isTold) - Number(a.isTold) || b.impact - a.impact)
  const ofScope = sourceId === null
  for (const one of first.slice(0, explained))
    await store.tenant(organizationId, async (tenant) =>
      explainAnomaly(tenant, { ...one, ofScope }),
    )
  // Last, so that reads of cost are answered anew with drivers and causes too.
  await store.tenant(organizationId, async (tenant) => {
    const isOther = await tidy(tenant)
    for (const { id, isTold } of all) if (isTold) await tellOfAnomaly(tenant, id)
    // Those that tidying took out from below another one, which people may have said something of.
    for (const { id } of await foundAnomalies(tenant).untold(sourceId))
      await tellOfAnomaly(tenant, id)
    if (isOther || isChanged || left.length > 0) await raiseCostVersion(tenant)
  })
}
