import { dayAfter } from '../../domain/finops/anomalies/days.ts'
import { rankCauses } from '../../domain/finops/anomalies/rank-causes.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { anomalyCauses } from '../../store/finops/anomaly-causes.ts'
import { anomalyDrivers } from '../../store/finops/anomaly-drivers.ts'
import { foundAnomalies } from '../../store/finops/found-anomalies.ts'
import { scopeCandidates } from '../../store/finops/scope-causes.ts'
import { scopeDrivers } from '../../store/finops/scope-drivers.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'

/** The days before an anomaly that its days are compared with. */
const baselineDays = 14
const mostCauses = 10

type Explained = {
  id: number
  firstDay: string
  lastDay: string
  /** Of an organization's whole cost, or of a tag. */
  ofScope: boolean
}

/**
 * Notes what rose in an anomaly and which runs may have caused it. Kept with the anomaly, for both read
 * charges; they change only with its days. Idempotent.
 */
export async function explainAnomaly(
  tenant: Tenant,
  { id, firstDay, lastDay, ofScope }: Explained,
): Promise<void> {
  const at = { id, baselineFrom: dayAfter(firstDay, -baselineDays) }
  const { baselineFrom } = at
  const drivers = ofScope
    ? await scopeDrivers(tenant, { ...at, tagKey: (await organizationSettings(tenant)).tagKey })
    : await anomalyDrivers(tenant, at)
  await foundAnomalies(tenant).setDrivers(id, drivers)
  const causes = anomalyCauses(tenant)
  const runs = ofScope ? await scopeCandidates(tenant, at) : await causes.candidates(at)
  const ranked = rankCauses(runs, { baselineFrom, firstDay, lastDay }, mostCauses)
  // Of an account or a service there is nothing that could tie other runs to a scope.
  await causes.set(id, ofScope ? ranked.filter(({ because }) => because === 'resource') : ranked)
}
