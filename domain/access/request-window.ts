export const windowSeconds = 60

export type Verdict = {
  allowed: boolean
  limit: number
  remaining: number
  /** Until the count starts again. */
  resetSeconds: number
  /** Until one more request is allowed; 0 if it is now. */
  retryAfterSeconds: number
}

export type Untold = { subject: string; minute: number; count: number }

type Count = { total: number; untold: number }

/**
 * Counts requests by subject over a sliding minute: those of the current minute, and of the previous
 * one the share that is less than a minute ago. So a burst at the turn of a minute cannot double the
 * limit, and a subject costs two numbers. Counts of other processes are merged from time to time.
 * Refused requests do not count, so a refused client that waits is admitted again.
 */
export function requestWindow({ maxSubjects = 100_000 } = {}) {
  let minute = 0
  let now = new Map<string, Count>()
  let before = new Map<string, Count>()

  const turn = (to: number) => {
    if (to === minute) return
    before = to === minute + 1 ? now : new Map<string, Count>()
    now = new Map()
    minute = to
  }

  return {
    take(wanted: string, limit: number, atMs: number): Verdict {
      const seconds = atMs / 1_000
      turn(Math.floor(seconds / windowSeconds))
      const passed = seconds % windowSeconds
      // Above this number all new subjects share one count, so that invented addresses cannot fill the memory.
      const subject = now.has(wanted) || now.size < maxSubjects ? wanted : 'all others'
      const count = now.get(subject) ?? { total: 0, untold: 0 }
      const earlier = before.get(subject)?.total ?? 0
      const used = count.total + earlier * (1 - passed / windowSeconds)
      const allowed = used + 1 <= limit
      if (allowed) {
        count.total += 1
        count.untold += 1
        now.set(subject, count)
      }
      return verdictOf({ allowed, limit, used, passed, earlier, count })
    },

    /** Takes back a request of this minute that was allowed, and that should count elsewhere. */
    giveBack(wanted: string): void {
      const count = now.get(wanted)
      // One that other processes have been told of stays counted.
      if (!count || count.untold === 0) return
      count.total -= 1
      count.untold -= 1
    },

    /** Counts that other processes do not know yet, of subjects with at least so many. */
    tell(atLeast: (subject: string) => number): Untold[] {
      const told: Untold[] = []
      for (const [subject, count] of now)
        if (count.untold > 0 && count.total >= atLeast(subject)) {
          told.push({ subject, minute, count: count.untold })
          count.untold = 0
        }
      return told
    },

    /** Stores the count of all processes together, up to the last `tell`. */
    learn(subject: string, ofMinute: number, total: number): void {
      const counts = ofMinute === minute ? now : ofMinute === minute - 1 ? before : undefined
      const count = counts?.get(subject)
      if (count) count.total = Math.max(count.total, total + count.untold)
    },
  }
}

function verdictOf(at: {
  allowed: boolean
  limit: number
  used: number
  passed: number
  earlier: number
  count: Count
}): Verdict {
  const { allowed, limit, used, passed } = at
  return {
    allowed,
    limit,
    remaining: Math.max(0, Math.floor(limit - used - (allowed ? 1 : 0))),
    resetSeconds: Math.ceil(windowSeconds - passed),
    retryAfterSeconds: allowed ? 0 : secondsUntilFree(at),
  }
}

/** When the share of the earlier minute has decreased enough. */
function secondsUntilFree(at: {
  limit: number
  passed: number
  earlier: number
  count: Count
}): number {
  const { limit, passed, earlier, count } = at
  const room = limit - 1 - count.total
  const freeAt =
    room >= 0 && earlier > 0
      ? windowSeconds * (1 - room / earlier)
      : windowSeconds + windowSeconds * (1 - (limit - 1) / count.total)
  return Math.max(1, Math.ceil(freeAt - passed))
}
