import type { CheckDays, EstimateCheck } from '../../domain/finops/estimates/judge-estimate.ts'
import type { PlanEstimate } from '../../domain/finops/estimates/plan-estimate.ts'
import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type DueCheck = {
  workspaceRunId: number
  workspaceId: number
  afterDays: CheckDays
  /** The day of the apply, in UTC. */
  day: string
  /** That of the estimate. */
  currency: string
  estimate: PlanEstimate
}

export type StoredCheck = EstimateCheck & {
  workspaceRunId: number
  afterDays: CheckDays
  /** The last day of the bill that was looked at. */
  day: string
  currency: string
}
export type WorkspaceCheck = Omit<StoredCheck, 'resources'> & { workspaceId: number }

/** Estimates of plans beside what the bill says after their applies. */
export function estimateChecks(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /**
     * Whether this transaction is the one that checks the organization until it ends. A worker that dies loses the
     * claim with its connection.
     */
    async claim(): Promise<boolean> {
      const { rows } = await db.raw('select pg_try_advisory_xact_lock(?, ?) as mine', [
        claimLock,
        organizationId,
      ])
      return rows[0].mine
    },

    /** Those whose days are all on the bills, which are complete through this day. */
    async due(through: string, limit: number): Promise<DueCheck[]> {
      const { rows } = await db.raw(selectDue, { organizationId, through, limit })
      return rows
    },

    /** Idempotent: a check that is there stays. */
    async add(
      { workspaceRunId, workspaceId, afterDays, day, currency }: Omit<DueCheck, 'estimate'>,
      { resources, ...check }: EstimateCheck,
    ): Promise<void> {
      await db.raw(insert, {
        organizationId,
        workspaceRunId,
        workspaceId,
        afterDays,
        day,
        currency,
        ...check,
        resources: JSON.stringify(resources),
      })
    },

    async ofRun(workspaceRunId: number): Promise<StoredCheck[]> {
      return db('estimateChecks')
        .where({ organizationId, workspaceRunId })
        .orderBy('afterDays')
        .select('workspaceRunId', 'afterDays', 'day', 'currency', 'coverage', 'resources')
        .select(db.raw('predicted::float8, billed::float8'))
    },

    /** The newest check of each of these workspaces. */
    async newestOf(workspaceIds: readonly number[]): Promise<WorkspaceCheck[]> {
      if (workspaceIds.length === 0) return []
      const query = db.raw(selectNewest, { organizationId, ids: [...workspaceIds] })
      return askNamed<WorkspaceCheck>(db, 'newest-checks', query)
    },
  }
}

/** The first key of the advisory lock, arbitrary; the second is the organization. */
const claimLock = 726_199_472

/** An apply of over 100 days ago whose bill never came is not looked at any more. */
const selectDue = `
  select r.id as "workspaceRunId", r.workspace_id as "workspaceId", n.after_days as "afterDays",
    a.day::text, r.cost ->> 'currency' as currency, p.estimate
  from apply_attempts t
    cross join lateral (select (t.ended_at at time zone 'utc')::date as day) a
    cross join (values (7), (30)) n (after_days)
    join workspace_runs r on r.organization_id = t.organization_id and r.id = t.workspace_run_id
    join plans p on p.organization_id = t.organization_id and p.workspace_run_id = t.workspace_run_id
  where t.organization_id = :organizationId and t.exit_code = 0
    and t.ended_at > now() - interval '100 days' and a.day + n.after_days <= :through::date
    and jsonb_array_length(p.estimate -> 'resources') > 0
    and not exists (select from estimate_checks c where c.organization_id = t.organization_id
      and c.workspace_run_id = t.workspace_run_id and c.after_days = n.after_days)
  order by t.ended_at, n.after_days limit :limit`

const insert = `
  insert into estimate_checks (organization_id, workspace_run_id, workspace_id, after_days, day, currency,
    predicted, billed, coverage, resources)
  select :organizationId, :workspaceRunId, :workspaceId, :afterDays, :day::date + :afterDays::integer, :currency,
    :predicted, :billed, :coverage, :resources::jsonb
  on conflict do nothing`

const selectNewest = `
  select distinct on (workspace_id) workspace_id as "workspaceId", workspace_run_id as "workspaceRunId",
    after_days as "afterDays", day::text, currency, predicted::float8, billed::float8, coverage
  from estimate_checks where organization_id = :organizationId and workspace_id = any(:ids::integer[])
  order by workspace_id, day desc, workspace_run_id desc`
