import type { Cause, RunToJudge } from '../../domain/finops/anomalies/rank-causes.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { predictedDelta } from './predicted-delta.ts'

type At = { id: number; baselineFrom: string }

/** The runs that may have caused the anomalies of one organization. */
export function anomalyCauses(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /**
     * Runs that were applied from three days before the anomaly's first day to its last: those that created
     * or changed a resource of its series, and those of workspaces that own some of its cost.
     */
    async candidates({ id, baselineFrom }: At): Promise<RunToJudge[]> {
      const { rows } = await db.raw(candidatesOf, {
        organizationId,
        id,
        baselineFrom,
        ...causeBounds,
      })
      return rows
    },

    /** In place of those that were found before. */
    async set(id: number, causes: readonly Cause[]): Promise<void> {
      // Of two scorings at once the second waits, and replaces what the first wrote.
      await db('anomalies').where({ organizationId, id }).forNoKeyUpdate().first('id')
      await db('anomaly_runs').where({ organizationId, anomalyId: id }).delete()
      const rows = causes.map(({ rise, ...cause }, place) => ({
        organizationId,
        anomalyId: id,
        place,
        ...cause,
        rise: rise.toFixed(6),
      }))
      if (rows.length > 0) await db('anomaly_runs').insert(rows)
    },
  }
}

/** Runs that are looked at, and runs whose resources' charges are read. An anomaly that lasts longer is told by then. */
export const causeBounds = { mostRuns: 2_000, mostJudged: 200, mostDays: 60 }

/** SQL: runs that were applied shortly before the days of `anomaly` or in them, and what they changed. */
export const appliedRuns = `
  runs as materialized (
    select r.id, r.workspace_id, r.ended_at,
      ${predictedDelta({ run: 'r', currency: 'a.currency', day: 'a.first_day' })} as delta
    from anomaly a join workspace_runs r on r.organization_id = :organizationId and r.kind = 'apply'
      and r.ended_at >= (a.first_day - 3)::timestamp at time zone 'UTC'
      and r.ended_at < (a.last_day + 1)::timestamp at time zone 'UTC'
    -- A run that found nothing to change was not applied.
    where exists (select from apply_attempts t where t.organization_id = :organizationId
        and t.workspace_run_id = r.id and t.spawned_at is not null)
      or r.phase = 'succeeded' and coalesce((r.summary ->> 'add')::integer + (r.summary ->> 'change')::integer
        + (r.summary ->> 'destroy')::integer, 0) > 0
    order by r.ended_at desc limit :mostRuns),
  changed as materialized (
    select distinct r.id as run_id, w.name_key, cloud_name(w.cloud_id) as name
    from runs r join workspace_resources w on w.organization_id = :organizationId and w.run_id = r.id)`

/** SQL: the runs of `billed` and `owning`, with the daily cost of what they changed where this condition holds. */
export const judgedRuns = (isOfAnomaly: string): string => `
  judged as materialized (
    select r.*, f.is_billed from runs r
      cross join lateral (select r.id in (select run_id from billed) as is_billed) f
    where is_billed or r.workspace_id in (select workspace_id from owning)
    order by is_billed desc, r.ended_at desc limit :mostJudged),
  days as materialized (
    select b.run_id, c.day, sum(c.effective_cost)::float8 as amount
    from billed b join judged j on j.id = b.run_id cross join anomaly a cross join slices s
      join focus_charges c on c.organization_id = :organizationId and c.slice_id = s.id and c.period = s.period
        and c.day between :baselineFrom::date and a.last_day and c.resource_id = b.resource_id
        and c.billing_currency = a.currency and ${isOfAnomaly}
        and c.charge_category = 'Usage' and c.charge_class is null
    group by b.run_id, c.day)
  select j.id as "runId", to_char(j.ended_at at time zone 'UTC', 'YYYY-MM-DD') as "appliedOn",
    j.delta as "predictedDelta",
    coalesce((select json_agg(json_build_object('day', d.day::text, 'amount', d.amount) order by d.day)
      from days d where d.run_id = j.id), '[]') as costs
  from judged j order by j.id`

const candidatesOf = `
  with anomaly as materialized (
    select s.source_id, s.provider, s.service, s.sub_account_id, s.currency, a.first_day,
      least(a.last_day, a.first_day + :mostDays::integer) as last_day
    from anomalies a join anomaly_series s on s.organization_id = a.organization_id and s.id = a.series_id
    where a.organization_id = :organizationId and a.id = :id),
  slices as materialized (
    select s.id, s.period from anomaly a join billing_slices s on s.organization_id = :organizationId
      and s.source_id = a.source_id and s.is_current and s.first_day <= a.last_day
      and s.last_day >= :baselineFrom::date),
  ${appliedRuns},
  billed as materialized (
    select distinct n.run_id, c.resource_id
    from changed n cross join anomaly a join cost_resources c on c.organization_id = :organizationId
      and c.name_key = n.name_key and billed_name(c.resource_id, c.provider, c.service) = n.name
      and c.provider = a.provider and c.service = a.service and c.sub_account_id is not distinct from a.sub_account_id
    where c.slice_id in (select id from slices)),
  owning as materialized (
    select distinct c.workspace_id from anomaly a cross join slices s join cost_daily c
      on c.organization_id = :organizationId and c.slice_id = s.id and c.day between a.first_day and a.last_day
      and c.provider = a.provider and c.service = a.service and c.sub_account_id is not distinct from a.sub_account_id
    where c.owner = 'workspace'),
  ${judgedRuns(`c.provider = a.provider and c.service_name = a.service
    and c.sub_account_id is not distinct from a.sub_account_id`)}`
