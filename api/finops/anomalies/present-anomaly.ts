import { originInWords } from '../../../domain/runs/run-origin.ts'
import type { AnomalyRun, ShownAnomaly } from '../../../store/finops/shown-anomalies.ts'
import type { AnomalyBody } from './schemas.ts'

/** An anomaly of a service, or of a scope. Amounts are in the currency of its bill. */
export function presentAnomaly(anomaly: ShownAnomaly): AnomalyBody {
  const { id, provider, service, day, firstDay, lastDay, currency, severity, kind, state } = anomaly
  const { accountId, source, subAccountId, scope, drivers, children, childCount, comment } = anomaly
  return {
    id,
    provider,
    service,
    day,
    expected: Number(anomaly.expected),
    actual: Number(anomaly.actual),
    low: Number(anomaly.low),
    high: Number(anomaly.high),
    firstDay,
    lastDay,
    impact: Number(anomaly.impact),
    currency,
    severity,
    kind,
    state,
    accountId,
    source,
    subAccountId,
    scope,
    drivers,
    children,
    childCount,
    runs: anomaly.runs.map(presentRun),
    comment,
    decidedBy: anomaly.decidedBy,
    decidedAt: anomaly.decidedAt?.toISOString() ?? null,
    createdAt: anomaly.createdAt.toISOString(),
    updatedAt: anomaly.updatedAt.toISOString(),
  }
}

const presentRun = ({ appliedAt, authorId, authorLabel, origin, ...run }: AnomalyRun) => ({
  ...run,
  appliedAt: new Date(appliedAt).toISOString(),
  author: {
    id: authorId,
    label: authorLabel ?? (origin === 'person' ? 'a former member' : originInWords[origin]),
  },
})
