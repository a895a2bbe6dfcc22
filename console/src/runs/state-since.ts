/**
 * Whether the state that a run wrote is still the newest one. The workspace may have been read before the run wrote,
 * so an older serial, and none, prove nothing.
 */
export function stateSince(
  written: number,
  now: number | null | undefined,
): 'newest' | 'rewritten' | 'unknown' {
  if (now === written) return 'newest'
  return typeof now === 'number' && now > written ? 'rewritten' : 'unknown'
}
