import type { BilledChange, CheckDays } from '../../domain/finops/estimates/judge-estimate.ts'
import type { EstimatedResource } from '../../domain/finops/estimates/plan-estimate.ts'
import { limitStatements } from '../driver/limit-statements.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { ownersIn } from './owners-by-day.ts'

/** An applied run of a workspace, whose changes are looked for on the bill. */
export type AskedRun = {
  workspaceRunId: number
  workspaceId: number
  afterDays: CheckDays
  /** The day of the apply. */
  day: string
  resources: readonly EstimatedResource[]
}

const timeoutMs = 300_000

/**
 * What the bills have of the changed resources of these runs: their effective cost of usage in so many days
 * before the day of the apply and after it, by address. The day itself is a part of a day, and so is the last
 * day of a resource. A later change of a resource ends its days: the rest is that change's.
 */
export async function billedChanges(
  tenant: Tenant,
  runs: readonly AskedRun[],
  currency: string,
): Promise<Array<BilledChange & { workspaceRunId: number; checkedAfter: CheckDays }>> {
  const { db, organizationId } = unwrap(tenant)
  if (runs.length === 0) return []
  const asked = runs.map(({ resources, ...run }) => ({
    ...run,
    resources: resources.map(({ address, previous = null }) => ({ address, previous })),
  }))
  const at = { organizationId, asked: JSON.stringify(asked), currency }
  const { rows: slices } = await db.raw(selectSlices, at)
  if (slices.length === 0) return []
  await limitStatements(tenant, timeoutMs)
  await db.raw(settings)
  const { rows } = await db.raw(selectChanges, {
    ...at,
    sliceIds: slices.map(({ id }: { id: number }) => id),
    // As values, so that only the partitions of these months are looked at.
    periods: [...new Set(slices.map(({ period }: { period: string }) => period))],
  })
  return rows
}

const settings = `select set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
  set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true)`

const asked = `
  asked as materialized (
    select "workspaceRunId" as run_id, "workspaceId" as workspace_id, "afterDays" as span, day, resources
    from jsonb_to_recordset(:asked::jsonb) as a ("workspaceRunId" integer, "workspaceId" integer,
      "afterDays" integer, day date, resources jsonb))`

const selectSlices = `
  with ${asked}
  select distinct s.id, s.period::text
  from asked a join billing_slices s
      on s.first_day <= a.day + a.span and s.last_day >= a.day - a.span
    join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
  where s.organization_id = :organizationId and s.is_current and b.removed_at is null`

/** `after_to`: the last whole day of what the apply made. */
const selectChanges = `
  with ${asked},
  ${ownersIn('slice_id = any(:sliceIds::integer[])')},
  wanted as materialized (
    select a.run_id, a.workspace_id, a.span, a.day, e.address as shown, x.address
    from asked a cross join lateral jsonb_to_recordset(a.resources) as e (address text, previous text)
      cross join lateral (values (e.address), (e.previous)) x (address)
    where x.address is not null),
  mine as materialized (
    select distinct t.run_id, t.span, t.day, t.shown, w.id as held_id,
      case when w.held_from <= t.day and coalesce(w.held_to > t.day, true)
        then least(t.day + t.span, coalesce(w.held_to - 1, t.day + t.span)) end as after_to
    from wanted t join workspace_resources w on w.organization_id = :organizationId
      and w.workspace_id = t.workspace_id and w.address = t.address
    where w.held_from <= t.day + t.span and coalesce(w.held_to >= t.day - t.span, true)),
  owned as materialized (
    select m.*, o.resource_id, o.sub_account_id, o.region, greatest(o.from_day, m.day - m.span) as from_day,
      least(o.until_day - 1, coalesce(m.after_to, m.day - 1)) as to_day
    from mine m join owners o on o.held_id = m.held_id),
  charged as (
    select w.run_id, w.span, w.day, w.shown, w.after_to, c.day as charged_on, c.effective_cost
        * case when c.billing_currency = :currency then 1 else r.rate end as cost
    from focus_charges c
      join owned w on w.resource_id = c.resource_id
        and not (w.sub_account_id is distinct from c.sub_account_id)
        and not (w.region is distinct from c.region_id) and c.day between w.from_day and w.to_day
        and c.day <> w.day
      left join exchange_rates r on r.organization_id = :organizationId and r.month = c.period
        and r.base = c.billing_currency and r.quote = :currency
    where c.organization_id = :organizationId and c.slice_id = any(:sliceIds::integer[])
      and c.period = any(:periods::date[]) and c.charge_category = 'Usage' and c.charge_class is null
      and c.resource_id is not null),
  summed as (
    select run_id, span, day, shown, max(after_to) as after_to,
      sum(cost) filter (where charged_on < day)::float8 as before,
      min(charged_on) filter (where charged_on < day) as first_before,
      sum(cost) filter (where charged_on > day)::float8 as after,
      bool_or(cost is null) as lacks_rate
    from charged group by 1, 2, 3, 4)
  select run_id as "workspaceRunId", span as "checkedAfter", shown as address, before, after,
    case when first_before is null then 0
      -- A resource that began within the window did so in the middle of its first day.
      else day - first_before - case when first_before > day - span then 1 else 0 end end as "beforeDays",
    coalesce(after_to - day, 0) as "afterDays"
  from summed where not lacks_rate`
