import type { Caller } from '../../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../../store/audit/audit-log.ts'
import { anomalies } from '../../../store/finops/anomalies.ts'
import { raiseCostVersion } from '../../../store/finops/raise-cost-version.ts'
import { shownAnomalies } from '../../../store/finops/shown-anomalies.ts'
import type { Deps } from '../../deps.ts'
import { presentAnomaly } from './present-anomaly.ts'
import type { AnomalyBody, AnomalyVerdictBody } from './schemas.ts'

/**
 * A person's verdict on an anomaly and on those below it. `expected` and `not_anomaly` change how the series is
 * judged from its next scoring on.
 */
export async function decideAnomaly(
  deps: Deps,
  caller: Caller,
  { id, verdict: { state, comment } }: { id: number; verdict: AnomalyVerdictBody },
): Promise<AnomalyBody> {
  return deps.store.tenant(caller.organizationId, async (tenant) => {
    await shownAnomalies(tenant).get(id)
    const decided = await anomalies(tenant).decide(id, { state, comment, by: caller.userId })
    await auditLog(tenant, actorOf(caller)).recordEach(
      'finops.anomaly_decided',
      decided.map((one) => ({
        target: { kind: 'anomaly', id: one.id },
        detail: { from: one.from, to: state, comment: one.comment },
      })),
    )
    const shown = presentAnomaly(await shownAnomalies(tenant).get(id))
    await raiseCostVersion(tenant)
    return shown
  })
}
