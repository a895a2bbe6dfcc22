import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudSyncs } from '../../store/clouds/cloud-syncs.ts'
import { syncPlaces } from '../../store/clouds/sync-places.ts'
import type { Deps } from '../deps.ts'
import { decodeCursor, maxKey, page } from '../http/paging.ts'
import { presentPlaces, presentSync } from './present-sync.ts'

type Needed = Pick<Deps, 'store'>

/** A page of an account's syncs, newest first. */
export async function listSyncs(
  { store }: Needed,
  organizationId: number,
  { id, limit = 50, cursor }: { id: number; limit?: number; cursor?: string },
) {
  const before = decodeCursor(cursor, maxKey)
  const found = await store.tenant(organizationId, async (tenant) => {
    await cloudAccounts(tenant).get(id)
    return cloudSyncs(tenant).list(id, limit + 1, before)
  })
  const { rows, nextCursor } = page(found, limit)
  return { syncs: rows.map(presentSync), nextCursor }
}

/** A sync with what became of its places. */
export async function readSync(
  { store }: Needed,
  organizationId: number,
  { id, syncId }: { id: number; syncId: number },
) {
  return store.tenant(organizationId, async (tenant) => {
    await cloudAccounts(tenant).get(id)
    const sync = await cloudSyncs(tenant).get(id, syncId)
    const places = presentPlaces(await syncPlaces(tenant).list(syncId))
    return { sync: { ...presentSync(sync), places } }
  })
}
