import type { MarkerState } from './owner-marker.ts'

/** How a connection is, in words for people. */
export type ConnectionHealth = {
  status: 'healthy' | 'invalid_token' | 'unreachable' | 'error'
  reason: string | null
  /** The marker that was found on the claimed branch, if it could be read. */
  marker?: MarkerState
  /** The repository's current name. Hosts redirect the old name until somebody else takes it. */
  repo?: string
}

/** Somebody removed the marker. All writing stops until a person repairs it. */
export const markerGone =
  'The marker .cloud-control/owner.json is gone from the branch, so nothing is written there. Validating the connection puts it back.'

export const ownedElsewhere = 'Another installation owns this branch (.cloud-control/owner.json).'
