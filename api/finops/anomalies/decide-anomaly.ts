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
    const repository = anomalies(tenant)
    for (const one of [id, ...(await repository.below(id))]) {
      const before = await repository.getForUpdate(one)
      // One below it that is over is not reopened with it.
      if (one !== id && before.state === 'resolved' && goesOn(state)) continue
      const said = comment === undefined ? before.comment : comment
      if (before.state === state && before.comment === said) continue
      await repository.decide(one, { state, comment: said, by: caller.userId })
      await auditLog(tenant, actorOf(caller)).record('finops.anomaly_decided', {
        target: { kind: 'anomaly', id: one },
        detail: { from: before.state, to: state, comment: said },
      })
    }
    const decided = presentAnomaly(await shownAnomalies(tenant).get(id))
    await raiseCostVersion(tenant)
    return decided
  })
}

const goesOn = (state: AnomalyVerdictBody['state']): boolean =>
  state === 'open' || state === 'acknowledged'
