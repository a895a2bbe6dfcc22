import type { PlaceState } from './cloud-account.ts'

export type SyncTrigger = 'schedule' | 'request' | 'connect'
export type SyncState = 'running' | 'succeeded' | 'partial' | 'failed'

/**
 * How a sync ended. A place that is switched off, or denied by a service control policy
 * (`excluded`), is no fault of the account.
 */
export function stateOfSync(
  places: readonly { state: PlaceState }[],
): Exclude<SyncState, 'running'> {
  const short = places.some(({ state }) => state === 'failed' || state === 'denied')
  if (!short) return 'succeeded'
  return places.some(({ state }) => state === 'ok') ? 'partial' : 'failed'
}

/** Names the places that could not be looked at, for the account's status. */
export function reasonOfPlaces(
  places: readonly { region: string; service: string; state: PlaceState; reason: string | null }[],
): string | null {
  const short = places.filter(({ state }) => state === 'failed' || state === 'denied')
  const [first] = short
  if (!first) return null
  const named = short.slice(0, 5).map(({ region, service }) => region || service || 'the account')
  const more = short.length > named.length ? ` and ${short.length - named.length} more` : ''
  const why = first.reason ? `: ${first.reason.replace(/\.$/, '')}` : ''
  return `${named.join(', ')}${more} could not be looked at${why}`
}
