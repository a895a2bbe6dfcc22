import type { CloudSync } from '../../store/clouds/cloud-syncs.ts'
import type { SyncPlace } from '../../store/clouds/sync-places.ts'
import type { SyncBody } from './resource-schemas.ts'

export function presentSync(sync: CloudSync): SyncBody {
  const { cloudAccountId: _, startedAt, endedAt, ...shown } = sync
  return {
    ...shown,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  }
}

/** What became of the places so far; one that is not merged has no outcome yet. */
export const presentPlaces = (places: readonly SyncPlace[]) =>
  places.flatMap(({ region, service, state, seen, reason }) =>
    state === 'waiting' ? [] : [{ region, service, state, seen, reason }],
  )
