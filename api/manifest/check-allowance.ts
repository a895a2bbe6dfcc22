import { AppError } from '../../domain/errors.ts'
import { createAllowance } from '../http/allowance.ts'

/** Milliseconds of this process's event loop that the checks of one organization may take in a minute. */
const allowedMs = 3_000

export type CheckAllowance = {
  /** Runs a check and counts its time; 429 while what was used before is not regained. */
  measure<T>(organizationId: number, check: () => T): T
}

/**
 * A check runs on the event loop, where a manifest made for it takes some 30 ms. So time is counted, not
 * requests: what is used is regained evenly over a minute, and checks of ordinary manifests never reach it.
 */
export function createCheckAllowance(now: () => number = () => performance.now()): CheckAllowance {
  const allowance = createAllowance({ most: allowedMs, perSecond: allowedMs / 60 }, now)
  return {
    measure(organizationId, check) {
      const waitSeconds = allowance.waitSecondsOf(organizationId)
      if (waitSeconds > 0) throw tooMany(waitSeconds)
      const since = now()
      try {
        return check()
      } finally {
        allowance.use(organizationId, now() - since)
      }
    },
  }
}

const tooMany = (retryAfterSeconds: number) =>
  new AppError(
    'rate_limited',
    'The manifests that your organization checked took too much time in the last minute. Wait and try again.',
    { code: 'rate_limited', retryAfterSeconds },
  )
