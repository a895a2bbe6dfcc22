import type { PlatformDb } from '../driver/connect.ts'

/** Organizations with an estimate that is old enough to be held against a bill that goes so far. */
export async function dueEstimateChecks(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number }>> {
  const { rows } = await db.raw(selectDue, [limit])
  return rows
}

const selectDue = `
  with due as (
    select distinct t.organization_id, (t.ended_at at time zone 'utc')::date + n.after_days as day
    from apply_attempts t cross join (values (7), (30)) n (after_days)
      join plans p on p.organization_id = t.organization_id and p.workspace_run_id = t.workspace_run_id
    where exists (select from billing_slices s where s.organization_id = t.organization_id and s.is_current)
      and t.exit_code = 0 and t.ended_at > now() - interval '100 days'
      and t.ended_at < now() - make_interval(days => n.after_days)
      and jsonb_array_length(p.estimate -> 'resources') > 0
      and not exists (select from estimate_checks c where c.organization_id = t.organization_id
        and c.workspace_run_id = t.workspace_run_id and c.after_days = n.after_days))
  select d.organization_id as "organizationId" from due d
  where exists (select from billing_slices s where s.organization_id = d.organization_id and s.is_current
    and s.complete_through >= d.day)
  -- In any order: those of which one bill is late stay due, and are not to keep the others waiting.
  group by d.organization_id order by random() limit ?`
