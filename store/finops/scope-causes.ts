import type { RunToJudge } from '../../domain/finops/anomalies/rank-causes.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { appliedRuns, causeBounds, judgedRuns } from './anomaly-causes.ts'

/**
 * The runs that may have caused an anomaly of an organization's whole cost or of a tag: those that created
 * or changed resources of it, of any service.
 */
export async function scopeCandidates(
  tenant: Tenant,
  { id, baselineFrom }: { id: number; baselineFrom: string },
): Promise<RunToJudge[]> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(candidatesOf, { organizationId, id, baselineFrom, ...causeBounds })
  return rows
}

const candidatesOf = `
  with anomaly as materialized (
    select s.scope_kind, s.scope_key, s.scope_value, s.currency, a.first_day,
      least(a.last_day, a.first_day + :mostDays::integer) as last_day
    from anomalies a join anomaly_series s on s.organization_id = a.organization_id and s.id = a.series_id
    where a.organization_id = :organizationId and a.id = :id),
  slices as materialized (
    select s.id, s.period from anomaly a join billing_slices s on s.organization_id = :organizationId
        and s.is_current and s.first_day <= a.last_day and s.last_day >= :baselineFrom::date
      join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
        and b.removed_at is null),
  ${appliedRuns},
  of_runs as materialized (
    select distinct n.run_id, c.resource_id
    from changed n cross join anomaly a join cost_resources c on c.organization_id = :organizationId
      and c.name_key = n.name_key and billed_name(c.resource_id, c.provider, c.service) = n.name
      and c.currency = a.currency
    where c.slice_id in (select id from slices)),
  tagged as materialized (
    select distinct c.resource_id
    from anomaly a cross join slices s join focus_charges c on c.organization_id = :organizationId
      and c.slice_id = s.id and c.period = s.period and c.day between a.first_day and a.last_day
      and c.resource_id in (select resource_id from of_runs) and c.tags ->> a.scope_key = a.scope_value
    where a.scope_kind = 'tag'),
  billed as materialized (
    select r.* from of_runs r cross join anomaly a
    where a.scope_kind = 'total' or r.resource_id in (select resource_id from tagged)),
  -- Most workspaces own some of the whole cost: that says nothing of a cause.
  owning as (select workspace_id from runs where false),
  ${judgedRuns(`(a.scope_kind = 'total' or c.tags ->> a.scope_key = a.scope_value)`)}`
