import { reasonOfCoverage } from '../../domain/clouds/coverage-words.ts'
import type { CloudSync } from '../../store/clouds/cloud-syncs.ts'
import type { SyncPlace } from '../../store/clouds/sync-places.ts'
import type { SyncBody } from './resource-schemas.ts'

export function presentSync(sync: CloudSync): SyncBody {
  const { cloudAccountId: _, startedAt, endedAt, reason, coverage, ...shown } = sync
  const reasons = [reason, coverage && reasonOfCoverage[coverage]].filter((one) => one !== null)
  return {
    ...shown,
    reason: reasons.join(' ') || null,
    // The API has one word for every list that is not full.
    coverage: coverage === 'partial' ? 'tagged_only' : coverage,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  }
}

/** What became of the places so far; one that is not merged has no outcome yet. */
export const presentPlaces = (places: readonly SyncPlace[]) =>
  places.flatMap(({ region, service, state, seen, reason }) =>
    state === 'waiting' ? [] : [{ region, service, state, seen, reason }],
  )
