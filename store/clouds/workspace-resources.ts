import { invalid } from '../../domain/errors.ts'
import { askNamed } from '../driver/ask-prepared.ts'
import { isStatementTimeout } from '../driver/connect.ts'
import { limitStatements } from '../driver/limit-statements.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Who a resource belongs to on a day. */
export type ResourceOwner = { workspaceId: number; workspaceName: string; address: string }

/** Resources that the current states of two workspaces hold. */
export type HeldTwice = {
  /** Up to 100. */
  total: number
  first: Array<{
    cloudId: string
    address: string
    workspace: { id: number; name: string }
    /** Whether the resource belongs to this workspace, and not to the other. */
    isOwner: boolean
  }>
}

/** The resources that each workspace's newest state holds, and those that earlier ones held, by day. */
export function workspaceResources(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /**
     * Notes what a workspace holds from `day` on, as the difference to what is noted: an unchanged
     * resource writes no row. Call `add` with each batch and then `end`, all under the lock of the
     * workspace's row. `runId`: the run that applied it, which the new rows name.
     */
    renewal: (
      workspaceId: number,
      day: string,
      { runId = null, isConfirmed = runId !== null }: AppliedBy = {},
    ): Renewal => renewalOf(tenant, { workspaceId, day, runId, isConfirmed }),

    /**
     * Notes that an apply has written the state with all that the workspace holds, on `day`. Its plan refreshed them,
     * so their sizes are what the cloud says from then on. Those of a state that a person pushed are not known to be.
     */
    async confirm(workspaceId: number, day: string): Promise<void> {
      await db('workspaceResources')
        .where({ organizationId, workspaceId, heldTo: null, confirmedFrom: null })
        .update({ confirmedFrom: day })
    },

    /**
     * The owners of these listed ids: the workspace whose state holds it, by this id or by its other one, of two the one that began later. On a day it is
     * the one whose state held it then, and a day before the first owner counts as that one's.
     */
    async ownersOf(
      cloudIds: readonly string[],
      day: string | null = null,
    ): Promise<Map<string, ResourceOwner>> {
      if (cloudIds.length === 0) return new Map()
      const query = db.raw(selectOwners, { organizationId, ids: [...cloudIds], day })
      type Row = ResourceOwner & { cloudId: string }
      const rows = await askNamed<Row>(db, 'owners-of-resources', query)
      return new Map(rows.map(({ cloudId, ...owner }) => [cloudId, owner]))
    },

    /** By workspace, of those that share a resource with another one. */
    async heldTwice(workspaceIds: readonly number[]): Promise<Map<number, HeldTwice>> {
      if (workspaceIds.length === 0) return new Map()
      // One workspace is bounded by itself, and is read where others write behind it in the transaction.
      if (workspaceIds.length > 1) await limitStatements(tenant, maxListMs)
      const query = db.raw(selectHeldTwice, { organizationId, ids: [...workspaceIds] })
      try {
        const rows = await askNamed<HeldTwice & { workspaceId: number }>(db, 'held-twice', query)
        return new Map(rows.map(({ workspaceId, ...found }) => [workspaceId, found]))
      } catch (error) {
        if (!isStatementTimeout(error)) throw error
        throw invalid(
          'The list took too long. Ask for fewer workspaces at once, with a smaller limit.',
          [{ path: 'limit', message: 'is too large for these workspaces' }],
          'search_too_broad',
        )
      }
    },
  }
}

function renewalOf(
  tenant: Tenant,
  { workspaceId, day, runId, isConfirmed }: { workspaceId: number; day: string } & Applied,
): Renewal {
  const { db, organizationId } = unwrap(tenant)
  let after = '00000000-0000-0000-0000-000000000000'
  let firstAdded: number | undefined
  let isChanged = false
  return {
    async add(rows) {
      const place = { organizationId, workspaceId, day, runId, isConfirmed, after, rows }
      const { rows: found } = await db.raw(renewRange, place)
      const { last, added, ended }: Renewed = found[0]
      after = last
      if (added !== null || ended > 0) isChanged = true
      if (added !== null) firstAdded ??= added
    },
    async end() {
      const ended = await db('workspaceResources')
        .where({ organizationId, workspaceId, heldTo: null })
        .where('cloudKey', '>', after)
        .update({ heldTo: day })
      if (isChanged || ended > 0) await db.raw(noteRebuild, { organizationId, workspaceId, day })
      if (firstAdded === undefined) return
      // Of two workspaces that begin to hold one id at the same moment, the later one to get
      // this lock sees the rows of both. It is held until the transaction ends.
      await db.raw('select pg_advisory_xact_lock(?, ?)', [sharedLock, organizationId])
      await db.raw(markShared, { organizationId, workspaceId, firstAdded })
    },
  }
}

type Renewed = { last: string; added: number | null; ended: number }

type Applied = { runId: number | null; isConfirmed: boolean }
type AppliedBy = Partial<Applied>

export type Renewal = {
  /** A batch of the held resources as a JSON list (domain/clouds/held-resources.ts), in the order of their keys. */
  add(rows: string): Promise<void>
  end(): Promise<void>
}

/** Far above what 200 workspaces take that share all that they hold. */
const maxListMs = 5_000

/** The first key of the advisory lock, arbitrary; the second is the organization. */
const sharedLock = 726_199_446

/**
 * A batch is complete from the key behind the last batch's to its own last: of the noted rows in
 * between, those that it does not have ended. So each statement is bounded, and none needs all ids.
 * A row in place of one that ends here continues its holding, so a resize or `state mv` changes no owner.
 */
const renewRange = `
  with given as materialized (
    select md5("cloudId")::uuid as cloud_key, g.* from json_to_recordset(:rows::json)
      as g ("cloudId" text, address text, type text, provider text, attributes jsonb)),
  range as (select cloud_key as last from given order by cloud_key desc limit 1),
  noted as materialized (
    select r.id, r.cloud_id, r.cloud_key, r.address, r.type, r.provider, r.attributes,
      coalesce(r.holding_from, r.held_from) as holding_from, coalesce(r.holding_id, r.id) as holding_id
    from workspace_resources r
    where r.organization_id = :organizationId and r.workspace_id = :workspaceId
      and r.held_to is null and r.cloud_key > :after::uuid
      and r.cloud_key <= (select last from range)),
  same as materialized (
    select n.id, n.cloud_key from noted n join given g on g.cloud_key = n.cloud_key
      and g."cloudId" = n.cloud_id and g.address = n.address and g.type = n.type
      and g.provider = n.provider and g.attributes = n.attributes),
  ended as (
    update workspace_resources r set held_to = :day::date where r.organization_id = :organizationId
      and r.id in (select id from noted except select id from same) returning 1),
  added as (
    insert into workspace_resources
      (organization_id, workspace_id, cloud_id, address, type, provider, attributes, held_from, run_id,
        confirmed_from, holding_from, holding_id)
    select :organizationId, :workspaceId, g."cloudId", g.address, g.type, g.provider, g.attributes,
      :day::date, :runId::integer, case when :isConfirmed::boolean then :day::date end,
      n.holding_from, n.holding_id
    from given g left join noted n on n.cloud_key = g.cloud_key and n.cloud_id = g."cloudId"
    where g.cloud_key not in (select cloud_key from same) order by g.cloud_key
    returning id)
  select (select last from range) as last, (select min(id) from added) as added,
    (select count(*) from ended)::integer as ended`

/** Bills that are loaded later find the new owners by themselves. */
const noteRebuild = `
  insert into cost_rebuilds as r (organization_id, workspace_id, since)
  select :organizationId, :workspaceId, :day::date where exists (
    select from billing_slices where organization_id = :organizationId and has_charges)
  on conflict (organization_id, workspace_id) do update
    set since = least(r.since, excluded.since), version = r.version + 1`

/**
 * Marks the new rows whose ids another workspace holds, and that one's. A row that another transaction
 * has locked is about to end there; to wait for it could be a deadlock.
 */
const markShared = `
  with shared as materialized (
    select mine.id as mine, other.id as other from workspace_resources mine
      join workspace_resources other on other.organization_id = mine.organization_id
        and other.cloud_key = mine.cloud_key and other.cloud_id = mine.cloud_id
        and other.workspace_id <> mine.workspace_id and other.held_to is null
    where mine.organization_id = :organizationId and mine.workspace_id = :workspaceId
      and mine.id >= :firstAdded and mine.held_to is null),
  others as materialized (
    select id from workspace_resources where organization_id = :organizationId
      and id in (select other from shared) and not also_held for update skip locked)
  update workspace_resources set also_held = true where organization_id = :organizationId
    and id in (select mine from shared union all select id from others)`

/**
 * Of the rows of an id: first those that cover the day, of the holding that began last; then by its beginning. A day
 * of a change has two rows of one holding, of which the newer one counts.
 * Materialized: otherwise all owners were looked up again for each workspace.
 */
const selectOwners = `
  with owners as materialized (select g.cloud_id, o.workspace_id, o.address
  from (select distinct cloud_id, other_cloud_id(cloud_id) as other from unnest(:ids::text[]) as i (cloud_id)) g
    cross join lateral (
      select r.workspace_id, r.address, r.held_from, d.covers
      from workspace_resources r
        cross join lateral (select coalesce(r.holding_from, r.held_from) as began,
          coalesce(r.holding_id, r.id) as began_as) h
        cross join lateral (select case when :day::date is null then r.held_to is null
          else r.held_from <= :day::date and coalesce(r.held_to >= :day::date, true) end as covers) d
      where r.organization_id = :organizationId
        and r.cloud_key in (md5(g.cloud_id)::uuid, md5(g.other)::uuid) and r.cloud_id in (g.cloud_id, g.other)
      order by d.covers desc, case when d.covers then h.began end desc, h.began, h.began_as desc,
        case when d.covers then r.held_from end desc, r.held_from, r.id desc
      limit 1) o
  where o.covers or o.held_from > :day::date)
  select o.cloud_id as "cloudId", o.workspace_id as "workspaceId", w.name as "workspaceName", o.address
  from owners o join workspaces w on w.organization_id = :organizationId and w.id = o.workspace_id`

/**
 * Verifies the marks, since the other workspace may have ceased to hold it. The other one is the first entry of the
 * index of holders, or the second: a resource that hundreds of workspaces hold costs no more than one of two.
 */
const selectHeldTwice = `
  select asked.id as "workspaceId", found.total, found.first from unnest(array(select unnest(:ids::integer[]))) as asked (id)
    cross join lateral (
      select count(*)::integer as total, json_agg(json_build_object(
          'cloudId', s.cloud_id, 'address', s.address, 'isOwner', s.is_owner,
          'workspace', (select json_build_object('id', w.id, 'name', w.name) from workspaces w
            where w.organization_id = :organizationId and w.id = s.other)) order by s.id)
        filter (where s.place <= 3) as first
      from (select v.*, row_number() over (order by v.id) as place from (
          select mine.id, mine.cloud_id, mine.address, other.workspace_id as other,
            (mine.began, mine.began_as) > (other.began, other.began_as) as is_owner
          from (select id, cloud_id, cloud_key, address, coalesce(holding_from, held_from) as began,
                coalesce(holding_id, id) as began_as
              from workspace_resources where organization_id = :organizationId
                and workspace_id = asked.id and also_held and held_to is null order by id limit 1000) mine
            cross join lateral (select r.workspace_id, coalesce(r.holding_from, r.held_from) as began,
                coalesce(r.holding_id, r.id) as began_as
              from workspace_resources r
              where r.organization_id = :organizationId and r.cloud_key = mine.cloud_key
                and r.cloud_id = mine.cloud_id and r.held_to is null and r.workspace_id <> asked.id
              order by r.held_to desc, coalesce(r.holding_from, r.held_from) desc, coalesce(r.holding_id, r.id) desc
              limit 1) other
          order by mine.id limit 100) v) s) found
  where found.total > 0`
