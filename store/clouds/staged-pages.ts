import type { FoundResource } from '../../domain/clouds/cloud-account.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** `digest`: of all that the cloud says of it, so that a change is found without reading the row. */
export type DigestedResource = FoundResource & { digest: string }

export type StagedPart = {
  number: number
  next: string | null
  unchanged: readonly number[]
  found: readonly DigestedResource[]
}

export type LookedSoFar = {
  region: string
  service: string
  /** The number of the next part. */
  number: number
  /** The place's pages were all staged, or the place is no longer waited for. */
  isOver: boolean
  cursor: string | null
  /** The places that this sync looks at. */
  places: number[]
}

type At = { syncId: number; placeId: number }

/** The pages of a sync, kept until they are merged, so that a look goes on at its page after a crash. */
export function stagedPages(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Where the look at this place goes on; undefined if the place or the sync is gone. */
    async soFar({ syncId, placeId }: At): Promise<LookedSoFar | undefined> {
      const { rows } = await db.raw(selectSoFar, [organizationId, syncId, placeId])
      return rows[0]
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
     * `taken`: another attempt of this look staged this part first, or the sync is over. `full`: the
     * sync has staged as much as it may. Places that are looked at together may each exceed that by a part.
     */
    async stage(at: At, part: StagedPart): Promise<'staged' | 'taken' | 'full'> {
      const count = part.unchanged.length + part.found.length
      const ofSync = db('cloud_resource_pages').where({ organizationId, syncId: at.syncId })
      const [sum] = await ofSync.sum({ staged: 'resources' })
      if (Number(sum?.staged ?? 0) + count > maxStaged) return 'full'
      const { rowCount } = await db.raw(insertPart, [
        part.number,
        part.next,
        [...part.unchanged],
        JSON.stringify(part.found),
        count,
        organizationId,
        at.syncId,
        at.placeId,
      ])
      return rowCount === 0 ? 'taken' : 'staged'
    },
  }
}

/** Resources of a sync. They are held twice in the database until they are merged. */
const maxStaged = 2_000_000

const insertPart = `
  insert into cloud_resource_pages
    (organization_id, sync_id, place_id, number, next_cursor, unchanged, found, resources)
  select organization_id, sync_id, place_id, ?, ?, ?::integer[], ?::jsonb, ? from cloud_sync_places
  where organization_id = ? and sync_id = ? and place_id = ? and state = 'waiting'
  on conflict do nothing`

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
  select p.region, p.service, coalesce(l.number + 1, 0) as number, l.next_cursor as cursor,
    s.state <> 'waiting' or y.state <> 'running' or (l.number is not null and l.next_cursor is null) as "isOver",
    array(select place_id from cloud_sync_places
      where organization_id = s.organization_id and sync_id = s.sync_id and state in ('waiting', 'ok')) as places
  from cloud_sync_places s
    join cloud_syncs y on y.organization_id = s.organization_id and y.id = s.sync_id
    join cloud_places p on p.organization_id = s.organization_id and p.id = s.place_id
    left join lateral (select number, next_cursor from cloud_resource_pages g
      where g.organization_id = s.organization_id and g.sync_id = s.sync_id and g.place_id = s.place_id
      order by number desc limit 1) l on true
  where s.organization_id = ? and s.sync_id = ? and s.place_id = ?`
