import { notFound } from '../../domain/errors.ts'
import type { AnomalySeverity } from '../../domain/finops/anomalies/anomaly-severity.ts'
import type { AnomalyState } from '../../domain/finops/anomalies/anomaly-state.ts'
import type { AnomalyKind } from '../../domain/finops/anomalies/scored-day.ts'
import type { Driver } from '../../domain/finops/anomalies/drivers-of-accounts.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type AnomalyDriver = Driver

/** What a scoring writes. Amounts are decimal text. */
export type AnomalyFigures = {
  kind: AnomalyKind
  severity: AnomalySeverity
  state: AnomalyState
  firstDay: string
  lastDay: string
  day: string
  actual: string
  expected: string
  low: string
  high: string
  impact: string
}

export type StoredAnomaly = AnomalyFigures & {
  id: number
  seriesId: number
  parentId: number | null
  toldImpact: string | null
  comment: string | null
  decidedBy: number | null
  decidedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export const anomalyColumns = [
  'id',
  'seriesId',
  'parentId',
  'kind',
  'severity',
  'state',
  'firstDay',
  'lastDay',
  'day',
  'actual',
  'expected',
  'low',
  'high',
  'impact',
  'toldImpact',
  'comment',
  'decidedBy',
  'decidedAt',
  'createdAt',
  'updatedAt',
]

/** The anomalies of one organization, as scorings and people write them. */
export function anomalies(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('anomalies').where({ organizationId })

  return {
    /** Locks the row until the transaction ends. */
    async getForUpdate(id: number): Promise<StoredAnomaly> {
      const row = await rows().where({ id }).forUpdate().first(anomalyColumns)
      if (!row) throw notFound()
      return row
    },

    /** What people said of these series: runs that they expected, and how many were no anomalies. */
    async verdicts(
      seriesIds: readonly number[],
    ): Promise<Array<Pick<StoredAnomaly, 'seriesId' | 'state' | 'firstDay' | 'lastDay'>>> {
      return rows()
        .whereIn('seriesId', seriesIds)
        .whereIn('state', ['expected', 'not_anomaly'])
        .select('seriesId', 'state', 'firstDay', 'lastDay')
    },

    /** The ids of those below it. */
    async below(id: number): Promise<number[]> {
      return rows().where({ parentId: id }).orderBy('id').pluck('id')
    },

    async decide(
      id: number,
      { state, comment, by }: { state: AnomalyState; comment: string | null; by: number },
    ): Promise<void> {
      const now = db.fn.now()
      await rows()
        .where({ id })
        .update({ state, comment, decidedBy: by, decidedAt: now, updatedAt: now })
    },

    /** Ends those of a source, or of scopes, that nobody decided on and that are over since before the day. */
    async resolveBefore(sourceId: number | null, day: string): Promise<number> {
      return rows()
        .whereIn('state', ['open', 'acknowledged'])
        .where('lastDay', '<', day)
        .whereIn('seriesId', db('anomaly_series').where({ organizationId, sourceId }).select('id'))
        .update({ state: 'resolved', updatedAt: db.fn.now() })
    },
  }
}
