import type { AnomalySeverity } from '../../domain/finops/anomalies/anomaly-severity.ts'
import { goesOn, type AnomalyState } from '../../domain/finops/anomalies/anomaly-state.ts'
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

type Verdict = { state: AnomalyState; comment: string | null | undefined; by: number }

/** What a verdict changed, and the comment that it has now. */
export type DecidedAnomaly = { id: number; from: AnomalyState; comment: string | null }

const decideAll = `
  with held as materialized (
    select id, state, comment,
      case when :keepsComment::boolean then comment else :comment::text end as said
    from anomalies
    where organization_id = :organizationId and (id = :id or parent_id = :id)
    -- In the order in which scorings lock them, so that the two cannot deadlock.
    order by id for update),
  decided as (
    update anomalies a
    set state = :state, comment = h.said, decided_by = :by, decided_at = now(), updated_at = now()
    from held h
    where a.organization_id = :organizationId and a.id = h.id
      and (h.state <> :state or h.comment is distinct from h.said)
      and (h.id = :id or h.state <> 'resolved' or not :goesOn::boolean)
    returning a.id, h.state as before, h.said)
  select id, before as "from", said as comment from decided order by id <> :id, id`

/** The anomalies of one organization, as scorings and people write them. */
export function anomalies(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('anomalies').where({ organizationId })

  return {
    /** What people said of these series: runs that they expected, and how many were no anomalies. */
    async verdicts(
      seriesIds: readonly number[],
    ): Promise<Array<Pick<StoredAnomaly, 'seriesId' | 'state' | 'firstDay' | 'lastDay'>>> {
      return rows()
        .whereIn('seriesId', seriesIds)
        .whereIn('state', ['expected', 'not_anomaly'])
        .select('seriesId', 'state', 'firstDay', 'lastDay')
    },

    /**
     * A person's verdict on one and on those below it, in one statement, since there may be
     * thousands. Answers with those that it changed, the one itself first. Without a comment each
     * keeps its own. One below that is over is not reopened.
     */
    async decide(id: number, { state, comment, by }: Verdict): Promise<DecidedAnomaly[]> {
      const { rows: decided } = await db.raw(decideAll, {
        organizationId,
        id,
        state,
        by,
        comment: comment ?? null,
        keepsComment: comment === undefined,
        goesOn: goesOn(state),
      })
      return decided
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
