import type { MarkerState } from './owner-marker.ts'

/** How a connection is, in words for people. */
export type ConnectionHealth = {
  status: 'healthy' | 'invalid_token' | 'unreachable' | 'error'
  reason: string | null
  /** What was found on a branch that is claimed, where it could be looked at. */
  marker?: MarkerState
  /** The repository's name by now: hosts find it under its old one only until somebody takes that. */
  repo?: string
}

/** Somebody took the marker away: that stops all writing, and only a person's word goes on with it. */
export const markerGone =
  'The marker .cloud-control/owner.json is gone from the branch, so nothing is written there. Validating the connection puts it back.'

export const ownedElsewhere = 'Another installation owns this branch (.cloud-control/owner.json).'
