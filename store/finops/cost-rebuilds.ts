import { unwrap, type Tenant } from '../driver/tenant.ts'

export type Rebuild = { version: number; slices: DaysOfSlice[] }
/** Days of a slice on which it has charges of resources whose owner may have changed. */
export type DaysOfSlice = { sliceId: number; days: string[] }

/** What the changed resources of workspaces touch of an organization's cost. */
export function costRebuilds(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /**
     * What is to be summed again because of a workspace. `wait`: a slice is being read, whose sums may have
     * been made with the owners of before, and which is seen soon. Undefined if nothing is noted.
     */
    async find(workspaceId: number): Promise<Rebuild | 'wait' | undefined> {
      const at = { organizationId, workspaceId }
      const note = await db('cost_rebuilds').where(at).first('since', 'version')
      if (!note) return undefined
      const { rows: reading } = await db.raw(selectReading, at)
      if (reading.length > 0) return 'wait'
      const { rows } = await db.raw(selectDays, { ...at, since: note.since })
      return { version: note.version, slices: rows }
    },

    /**
     * Before a workspace is deleted: others that hold what it holds own it from now on. Answers whether there
     * is any cost.
     */
    async noteFreed(workspaceId: number): Promise<boolean> {
      const { rows } = await db.raw(noteFreed, { organizationId, workspaceId })
      return rows[0].has_cost
    },

    /** Unless more was noted meanwhile. */
    async done(workspaceId: number, version: number): Promise<void> {
      await db('cost_rebuilds').where({ organizationId, workspaceId, version }).delete()
    },

    /** Locks the slice until the transaction ends; undefined if its sums are not needed any more. */
    async hold(
      sliceId: number,
    ): Promise<{ id: number; sourceId: number; period: string; isCurrent: boolean } | undefined> {
      return db('billing_slices')
        .where({ organizationId, id: sliceId })
        .whereIn('state', ['loaded', 'suspect'])
        .forNoKeyUpdate()
        .first('id', 'sourceId', 'period', 'isCurrent')
    },
  }
}

const noteFreed = `
  with bills as (select exists (
    select from billing_slices where organization_id = :organizationId and has_charges) as has_cost),
  noted as (
    insert into cost_rebuilds as r (organization_id, workspace_id, since)
    select distinct :organizationId::integer, o.workspace_id, '2000-01-01'::date
    from bills cross join workspace_resources mine join workspace_resources o on o.organization_id = :organizationId
      and o.name_key = mine.name_key and o.workspace_id <> mine.workspace_id
    where has_cost and mine.organization_id = :organizationId and mine.workspace_id = :workspaceId
    on conflict (organization_id, workspace_id) do update
      set since = least(r.since, excluded.since), version = r.version + 1)
  select has_cost from bills`

const selectReading = `
  select 1 from billing_slices s
    join billing_ingests g on g.organization_id = s.organization_id and g.id = s.ingest_id
  where s.organization_id = :organizationId and s.state = 'reading' and g.state = 'running' limit 1`

/**
 * A resource that began or ended to be held changes its owner from that day on, and on all days before if
 * nobody had held it earlier. So it does where others hold one of the same name: whether a bill's short id
 * is one resource's alone depends on all of them.
 */
const selectDays = `
  with changed as materialized (
    select distinct w.name_key, cloud_name(w.cloud_id) as name, case when exists (select from workspace_resources e
        where e.organization_id = :organizationId and e.name_key = w.name_key and e.cloud_id = w.cloud_id
          and e.held_from < :since::date)
      and not exists (select from workspace_resources e
        where e.organization_id = :organizationId and e.name_key = w.name_key and e.cloud_id <> w.cloud_id)
      then :since::date else '-infinity' end as from_day
    from workspace_resources w
    where w.organization_id = :organizationId and w.workspace_id = :workspaceId
      and (w.held_from >= :since::date or w.held_to >= :since::date)),
  touched as materialized (
    select distinct r.slice_id, s.period, r.resource_id, c.from_day
    from changed c
      join cost_resources r on r.organization_id = :organizationId and r.name_key = c.name_key
        and billed_name(r.resource_id, r.provider, r.service) = c.name and r.last_day >= c.from_day
      join billing_slices s on s.organization_id = :organizationId and s.id = r.slice_id
        and (s.is_current or s.state = 'suspect'))
  select f.slice_id as "sliceId", array_agg(distinct f.day::text order by f.day::text) as days
  from focus_charges f join touched t on t.slice_id = f.slice_id and t.period = f.period
    and t.resource_id = f.resource_id and f.day >= t.from_day
  where f.organization_id = :organizationId and f.slice_id in (select slice_id from touched)
  group by f.slice_id order by f.slice_id`
