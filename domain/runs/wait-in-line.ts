const looksASecond = 10
const mostMs = 60_000

/** A line that is longer than this changes no wait. */
export const longestLine = (mostMs / 1_000) * looksASecond

/**
 * How long a run waits before it looks for a place again, if nobody wakes it. The runs of one organization look about
 * ten times a second together, however many wait, so a free place is found as soon as with a short line. Each looks at
 * least once a minute. The jitter keeps runs that waited together, as for a restarted worker, from looking together.
 * `random` is in [0, 1).
 */
export function waitInLineMs(
  waiting: number,
  { leastMs, random }: { leastMs: number; random: number },
): number {
  const shareMs = Math.min(mostMs, (waiting * 1_000) / looksASecond)
  return Math.round(Math.max(leastMs, shareMs * (0.75 + random / 4)))
}
