import {
  scopeOf,
  type AnomalyScope,
  type ScopeOfSeries,
} from '../../domain/finops/anomalies/anomaly-scope.ts'
import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** An anomaly that names a run as what may have caused it. */
export type AnomalyOfRun = {
  id: number
  /** Null where it is of a scope. */
  provider: string | null
  service: string | null
  scope: AnomalyScope | null
  firstDay: string
  lastDay: string
  /** Decimal text. */
  impact: string
  currency: string
  state: string
  because: 'resource' | 'account'
}

/** The dearest. Those that people said are none are left out. */
export async function anomaliesOfRun(
  tenant: Tenant,
  workspaceRunId: number,
): Promise<AnomalyOfRun[]> {
  const { db, organizationId } = unwrap(tenant)
  const rows = await askNamed<Omit<AnomalyOfRun, 'scope'> & ScopeOfSeries>(
    db,
    'anomalies-of-run',
    db.raw(selectAnomalies, { organizationId, workspaceRunId }),
  )
  return rows.map(({ scopeKind, scopeKey, scopeValue, ...anomaly }) => ({
    ...anomaly,
    scope: scopeOf({ scopeKind, scopeKey, scopeValue }),
  }))
}

const selectAnomalies = `
  select a.id, s.provider, s.service, a.first_day::text as "firstDay", a.last_day::text as "lastDay",
    a.impact::text as impact, s.currency, a.state, n.because,
    s.scope_kind as "scopeKind", s.scope_key as "scopeKey", s.scope_value as "scopeValue"
  from anomaly_runs n
    join anomalies a on a.organization_id = n.organization_id and a.id = n.anomaly_id and a.state <> 'not_anomaly'
    join anomaly_series s on s.organization_id = a.organization_id and s.id = a.series_id
    left join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
      and b.removed_at is null
  where n.organization_id = :organizationId and n.run_id = :workspaceRunId
    and (b.id is not null or s.source_id is null)
  order by a.impact desc, a.id limit 20`
