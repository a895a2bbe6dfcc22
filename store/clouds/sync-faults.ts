import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What a cloud refused while a sync of one organization ran. The reason of its end, if it ends by that. */
export function syncFaults(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Shown while the sync runs. */
    async note(id: number, reason: string): Promise<void> {
      await db('cloud_syncs').where({ organizationId, id, state: 'running' }).update({ reason })
    },

    /** Of a place that waits. */
    async notePlace(at: { syncId: number; placeId: number }, reason: string): Promise<void> {
      const place = db('cloud_sync_places').where({ organizationId, ...at })
      await place.where({ state: 'waiting' }).update({ reason })
    },
  }
}
