import { AppError } from '../../domain/errors.ts'

/** Milliseconds of this process's event loop that the checks of one organization may take in a minute. */
const allowedMs = 3_000
const minuteMs = 60_000

export type CheckAllowance = {
  /** Runs a check and counts its time; 429 while what was used before is not regained. */
  measure<T>(organizationId: number, check: () => T): T
}

/**
 * A check runs on the event loop, where a manifest made for it takes some 30 ms. So time is counted, not
 * requests: what is used is regained evenly over a minute, and checks of ordinary manifests never reach it.
 */
export function createCheckAllowance(now: () => number = () => performance.now()): CheckAllowance {
  const used = new Map<number, { ms: number; at: number }>()
  const usedNow = (organizationId: number, at: number): number => {
    const last = used.get(organizationId)
    return last ? Math.max(0, last.ms - ((at - last.at) * allowedMs) / minuteMs) : 0
  }
  const forgetOld = (at: number) => {
    if (used.size <= 1_000) return
    for (const [organizationId] of used)
      if (usedNow(organizationId, at) === 0) used.delete(organizationId)
  }

  return {
    measure(organizationId, check) {
      const since = now()
      const before = usedNow(organizationId, since)
      if (before >= allowedMs) throw tooMany(before)
      try {
        return check()
      } finally {
        const at = now()
        forgetOld(at)
        used.set(organizationId, { ms: usedNow(organizationId, at) + at - since, at })
      }
    },
  }
}

const tooMany = (usedMs: number) =>
  new AppError(
    'rate_limited',
    'The manifests that your organization checked took too much time in the last minute. Wait and try again.',
    {
      code: 'rate_limited',
      retryAfterSeconds: Math.max(1, Math.ceil(((usedMs - allowedMs) / allowedMs) * 60)),
    },
  )
