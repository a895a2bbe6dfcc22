import type { Coverage, Place, PlaceState } from '../../domain/clouds/cloud-account.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { CloudSync } from './cloud-syncs.ts'
import { asLikes } from './role-patterns.ts'

export type SyncPlace = Omit<Place, 'state'> & {
  placeId: number
  /** `waiting`: not merged yet. */
  state: PlaceState | 'waiting'
  seen: number
}

/** What became of each place in the syncs of one organization. */
export function syncPlaces(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const ofSync = (syncId: number) => db('cloud_sync_places').where({ organizationId, syncId })

  return {
    /** In the order of the places' names; those that wait come with state `waiting`. */
    async list(syncId: number): Promise<SyncPlace[]> {
      return db('cloud_sync_places as s')
        .join('cloud_places as p', (join) =>
          join.on('p.organizationId', 's.organizationId').on('p.id', 's.placeId'),
        )
        .where({ 's.organizationId': organizationId, 's.syncId': syncId })
        .orderBy(['p.region', 'p.service'])
        .select('s.placeId', 'p.region', 'p.service', 's.state', 's.reason', 's.seen')
    },

    /** Idempotent: a place that was noted keeps what became of it. */
    async note(
      sync: Pick<CloudSync, 'id' | 'cloudAccountId' | 'coverage'>,
      { coverage, places: found }: { coverage: Coverage; places: readonly Place[] },
    ): Promise<void> {
      const { id: syncId, cloudAccountId } = sync
      const named = {
        organizationId,
        cloudAccountId,
        syncId,
        listed: JSON.stringify(found.map(asStored)),
        coverage,
      }
      await db.raw(addPlaces, named)
      await db.raw(addSyncPlaces, named)
      if (sync.coverage !== coverage)
        await db('cloud_syncs').where({ organizationId, id: syncId }).update({ coverage })
    },

    /** Notes why a place could not be looked at. What was written of it stays and is counted; nothing of it is gone. */
    async drop(
      at: { syncId: number; placeId: number },
      { state, reason }: Pick<Place, 'state' | 'reason'>,
    ): Promise<void> {
      const dropped = await ofSync(at.syncId)
        .where({ placeId: at.placeId, state: 'waiting' })
        .update({ state, reason, seen: 0 })
      if (dropped > 0)
        await db('cloud_resource_pages')
          .where({ organizationId, ...at })
          .update({ listed: [], resources: 0 })
    },
  }
}

const asStored = ({ readable, ...place }: Place) =>
  readable ? { ...place, readable: asLikes(readable) } : place

const addPlaces = `
  insert into cloud_places (organization_id, cloud_account_id, region, service)
  select :organizationId, :cloudAccountId, f.region, f.service
  from jsonb_to_recordset(cast(:listed as jsonb)) as f (region text, service text)
  where not exists (select from cloud_places p where p.organization_id = :organizationId
    and p.cloud_account_id = :cloudAccountId and p.region = f.region and p.service = f.service)
  on conflict do nothing`

const addSyncPlaces = `
  insert into cloud_sync_places (organization_id, sync_id, place_id, state, reason, coverage, readable)
  select p.organization_id, :syncId, p.id, case f.state when 'ok' then 'waiting' else f.state end, f.reason,
    coalesce(f.coverage, :coverage), f.readable
  from jsonb_to_recordset(cast(:listed as jsonb)) as f
      (region text, service text, state text, reason text, coverage text, readable jsonb)
    join cloud_places p on p.organization_id = :organizationId
      and p.cloud_account_id = :cloudAccountId and p.region = f.region and p.service = f.service
  on conflict do nothing`
