const minuteMs = 60_000
const longestMs = 24 * 60 * minuteMs
/** Consecutive ids are spread evenly over an interval by the fractional part of their multiples. */
const goldenSection = 0.618_033_988_749_894_8

/**
 * When an account is synced next. Each account has its own moment within the interval, so that
 * accounts connected together are not synced together. Refused credentials double the pause with
 * each refusal, up to a day: a cloud may lock or report whoever keeps trying.
 */
export function nextSync(
  now: Date,
  account: { id: number; syncIntervalMinutes: number; refusedSyncs: number },
): Date {
  const intervalMs = account.syncIntervalMinutes * minuteMs
  if (account.refusedSyncs > 0) {
    const pauseMs = intervalMs * 2 ** Math.min(account.refusedSyncs, 16)
    return new Date(now.getTime() + Math.min(pauseMs, Math.max(longestMs, intervalMs)))
  }
  const momentMs = ((account.id * goldenSection) % 1) * intervalMs
  // At least half an interval away, so that a sync on request is not repeated at once.
  const earliest = now.getTime() + intervalMs / 2
  const turns = Math.ceil((earliest - momentMs) / intervalMs)
  return new Date(Math.round(turns * intervalMs + momentMs))
}
