import type { FoundResource, Place } from '../../domain/clouds/cloud-account.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { fromLikes } from './role-patterns.ts'

/** `digest`: of all that the cloud says of it, so that a change is found without reading the row. */
export type DigestedResource = FoundResource & { digest: string }

export type StagedPart = {
  number: number
  next: string | null
  unchanged: readonly number[]
  found: readonly DigestedResource[]
}

export type LookedSoFar = {
  /** As it was noted when the places were listed. The patterns of its roles are in lower case. */
  place: Place
  /** The number of the next part. */
  number: number
  /** The place's pages were all staged, or the place is no longer waited for. */
  isOver: boolean
  cursor: string | null
  /** The places that this sync looks at. */
  places: number[]
  /** Nothing of the account is known, so nothing that a look finds can be unchanged. */
  isNew: boolean
}

type At = { syncId: number; placeId: number }

/**
 * What a sync saw so far: the resources that are new or differ are written with the part that lists them, and the ids
 * of all are kept until the place is merged, so that a look goes on at its page after a crash.
 */
export function stagedPages(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Where the look at this place goes on; undefined if the place or the sync is gone. */
    async soFar({ syncId, placeId }: At): Promise<LookedSoFar | undefined> {
      const { rows } = await db.raw(selectSoFar, [organizationId, syncId, placeId])
      if (!rows[0]) return undefined
      const { region, service, coverage, readable, ...soFar } = rows[0]
      return { ...soFar, place: asNoted({ region, service, coverage, readable }) }
    },

    /**
     * The ids of those that need no write: as they were, or another place's that this sync looks at,
     * which decides about them. By the position in `resources`.
     */
    async unchangedOf(
      at: { cloudAccountId: number; placeId: number; places: readonly number[] },
      resources: readonly DigestedResource[],
    ): Promise<Map<number, number>> {
      const { rows } = await db.raw(selectUnchanged, [
        resources.map(({ cloudId }) => cloudId),
        resources.map(({ digest }) => digest),
        organizationId,
        at.cloudAccountId,
        at.placeId,
        [...at.places],
      ])
      return new Map(
        rows.map(({ position, id }: { position: number; id: number }) => [position - 1, id]),
      )
    },

    /**
     * Writes a part and the resources that it found, in one statement. `taken`: another attempt of this look staged
     * this part first, or the sync is over; whatever was written has to be rolled back then. `full`: the sync has
     * staged as much as it may. Places that are looked at together may each exceed that by a part.
     */
    async stage({ syncId, placeId }: At, part: StagedPart): Promise<'staged' | 'taken' | 'full'> {
      const { number, next, unchanged, found } = part
      const count = unchanged.length + found.length
      const ofSync = db('cloud_resource_pages').where({ organizationId, syncId })
      const [sum] = await ofSync.sum({ staged: 'resources' })
      if (Number(sum?.staged ?? 0) + count > maxStaged) return 'full'
      const { rows } = await db.raw(insertPart, {
        organizationId,
        syncId,
        placeId,
        number,
        next,
        unchanged: [...unchanged],
        found: JSON.stringify(found),
        count,
      })
      return rows.length === 0 ? 'taken' : 'staged'
    },
  }
}

type StoredPlace = Pick<Place, 'region' | 'service'> & {
  coverage: Place['coverage'] | null
  readable: NonNullable<Place['readable']> | null
}

function asNoted({ region, service, coverage, readable }: StoredPlace): Place {
  const place = { region, service, state: 'ok' as const, reason: null }
  return {
    ...place,
    ...(coverage && { coverage }),
    ...(readable && { readable: fromLikes(readable) }),
  }
}

/** Resources of a sync. */
const maxStaged = 2_000_000

/**
 * A resource belongs to one place. Where two places list it, its own place decides, as long as this sync looks at
 * that place, so that it is counted once and does not change back and forth.
 *
 * In the order of their ids, so that two places that list the same resources do not wait for each other.
 */
const insertPart = `
  with turn as materialized (
    select s.sync_id, s.place_id, p.cloud_account_id, a.provider
    from cloud_sync_places s
      join cloud_syncs y on y.organization_id = s.organization_id and y.id = s.sync_id and y.state = 'running'
      join cloud_places p on p.organization_id = s.organization_id and p.id = s.place_id
      join cloud_accounts a on a.organization_id = p.organization_id and a.id = p.cloud_account_id
    where s.organization_id = :organizationId and s.sync_id = :syncId and s.place_id = :placeId and s.state = 'waiting'
    -- The place does not end, nor are its account's resources forgotten, before this is committed.
    for update of s),
  looking as materialized (
    select place_id from cloud_sync_places
    where organization_id = :organizationId and sync_id = :syncId and state in ('waiting', 'ok')),
  found as materialized (
    select distinct on (f."cloudId") f.*
    from jsonb_to_recordset(:found::jsonb) as f
      ("cloudId" text, service text, type text, name text, region text, tags jsonb, digest text)
    order by f."cloudId"),
  written as (
    insert into cloud_resources as r
      (organization_id, cloud_account_id, place_id, provider, cloud_id, service, type, name, region, tags, digest)
    select :organizationId, t.cloud_account_id, t.place_id, t.provider, f."cloudId", f.service, f.type, f.name,
      f.region, f.tags, f.digest
    from found f cross join turn t
    order by f."cloudId"
    on conflict (organization_id, cloud_key, cloud_account_id) do update
      set place_id = excluded.place_id, service = excluded.service, type = excluded.type, name = excluded.name,
        region = excluded.region, tags = excluded.tags, digest = excluded.digest, state = 'present',
        gone_at = null, last_seen_at = null,
        listed_from = case when r.state = 'gone' or r.last_seen_at is not null or r.place_id is null then now()
          else r.listed_from end
      -- One that only bills knew has no place.
      where r.state = 'gone' or r.place_id is null or r.place_id <> all(array(select place_id from looking))
        or (r.place_id = excluded.place_id and (r.digest <> excluded.digest or r.last_seen_at is not null))
    returning r.id, (r.xmax = 0) as is_added)
  insert into cloud_resource_pages
    (organization_id, sync_id, place_id, number, next_cursor, listed, added, changed, resources)
  select :organizationId, t.sync_id, t.place_id, :number, :next, :unchanged::integer[] || w.ids, w.added, w.changed, :count
  from turn t, (select coalesce(array_agg(id), '{}') as ids, count(*) filter (where is_added) as added,
      count(*) filter (where not is_added) as changed from written) w
  on conflict do nothing
  returning number`

/**
 * The limit and the sum make the planner look each id up by its own index, also before the table has
 * statistics. By the index of places it would read the whole account for each id.
 */
const selectUnchanged = `
  select f.position::integer as position, r.id
  from unnest(?::text[], ?::text[]) with ordinality as f (cloud_id, digest, position)
    cross join lateral (
      select r.id, r.state, r.place_id, r.digest, r.last_seen_at from cloud_resources r
      where r.organization_id = ? and r.cloud_key = md5(f.cloud_id)::uuid
        and r.cloud_account_id + 0 = ? and r.cloud_id = f.cloud_id limit 1) r
  where r.state = 'present'
    and case when r.place_id = ? then r.digest = f.digest and r.last_seen_at is null else r.place_id = any(?::integer[]) end`

const selectSoFar = `
  select p.region, p.service, s.coverage, s.readable, coalesce(l.number + 1, 0) as number, l.next_cursor as cursor,
    s.state <> 'waiting' or y.state <> 'running' or (l.number is not null and l.next_cursor is null) as "isOver",
    array(select place_id from cloud_sync_places
      where organization_id = s.organization_id and sync_id = s.sync_id and state in ('waiting', 'ok')) as places,
    not exists (select from cloud_resources r
      where r.organization_id = p.organization_id and r.cloud_account_id = p.cloud_account_id) as "isNew"
  from cloud_sync_places s
    join cloud_syncs y on y.organization_id = s.organization_id and y.id = s.sync_id
    join cloud_places p on p.organization_id = s.organization_id and p.id = s.place_id
    left join lateral (select number, next_cursor from cloud_resource_pages g
      where g.organization_id = s.organization_id and g.sync_id = s.sync_id and g.place_id = s.place_id
      order by number desc limit 1) l on true
  where s.organization_id = ? and s.sync_id = ? and s.place_id = ?`
