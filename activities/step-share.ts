import { Context } from '@temporalio/activity'
import { AppError } from '../domain/errors.ts'

type HandedBack = {
  /** Listed in guard-activity.ts, since it is no fault. */
  code: string
  message: string
  /** The longest pause before it is tried again. */
  mostSeconds: number
}

/**
 * Counts the steps of one kind that each organization has under way in this process. A step beyond `most` is handed
 * back to Temporal, so that it holds no slot of this worker, and tried again, less and less often: thousands of one
 * organization can wait.
 */
export function createStepShare({ code, message, mostSeconds }: HandedBack) {
  const counts = new Map<number, number>()
  return async <T>(
    { organizationId, most }: { organizationId: number; most: number },
    work: () => Promise<T>,
  ): Promise<T> => {
    const underWay = counts.get(organizationId) ?? 0
    if (underWay >= most) {
      const { attempt } = Context.current().info
      const retryAfterSeconds = secondsUntil(attempt, mostSeconds)
      throw new AppError('unavailable', message, { code, retryAfterSeconds })
    }
    counts.set(organizationId, underWay + 1)
    try {
      return await work()
    } finally {
      const left = (counts.get(organizationId) ?? 1) - 1
      if (left > 0) counts.set(organizationId, left)
      else counts.delete(organizationId)
    }
  }
}

/** Two seconds, then twice as long each time, up to the most. Half of it is random, so that they do not return together. */
function secondsUntil(attempt: number, mostSeconds: number): number {
  const most = Math.min(mostSeconds, 2 ** Math.min(attempt, 16))
  const least = Math.max(2, most / 2)
  return least + Math.random() * (most - least)
}
