import { Context } from '@temporalio/activity'
import { AppError } from '../domain/errors.ts'

type HandedBack = {
  /** Listed in guard-activity.ts, since it is no fault. */
  code: string
  message: string
  /** The longest pause before it is tried again. */
  mostSeconds: number
  /** After so long a step that was handed back comes before new ones. Absent: it comes when a slot is free. */
  patienceMs?: number
}

/**
 * Counts the steps of one kind that each organization has under way in this process. A step beyond `most` is handed
 * back to Temporal, so that it holds no slot of this worker, and tried again, less and less often: thousands of one
 * organization can wait.
 */
export function createStepShare({ code, message, mostSeconds, patienceMs }: HandedBack) {
  const counts = new Map<number, number>()
  const lines = patienceMs === undefined ? undefined : createLines(patienceMs)
  return async <T>(
    { organizationId, most }: { organizationId: number; most: number },
    work: () => Promise<T>,
  ): Promise<T> => {
    const { attempt, activityId, workflowExecution } = Context.current().info
    const step = { organizationId, key: [workflowExecution?.workflowId, activityId].join(' ') }
    const underWay = counts.get(organizationId) ?? 0
    if (underWay + (lines?.before(step) ?? 0) >= most) {
      const retryAfterSeconds = secondsUntil(attempt, mostSeconds)
      lines?.join(step, retryAfterSeconds * 1_000)
      throw new AppError('unavailable', message, { code, retryAfterSeconds })
    }
    lines?.leave(step)
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

type Step = { organizationId: number; key: string }
type Waiting = { sinceMs: number; untilMs: number }

/** A step that has not returned so long after its pause is over, or is another worker's. */
const lateMs = 5_000

/**
 * The steps of each organization that were handed back. Without them the look that follows on a look takes its slot
 * at once, and a step that returns now and then finds none free for as long as the organization has looks.
 */
function createLines(patienceMs: number) {
  const lines = new Map<number, Map<string, Waiting>>()
  const lineOf = (organizationId: number) => lines.get(organizationId) ?? new Map<string, Waiting>()
  return {
    /** How many come before this step. */
    before({ organizationId, key }: Step): number {
      const nowMs = Date.now()
      const line = lineOf(organizationId)
      for (const [other, { untilMs }] of line) if (untilMs < nowMs) line.delete(other)
      const hasWaited = ({ sinceMs }: Waiting) => nowMs - sinceMs >= patienceMs
      const own = line.get(key)
      if (own && hasWaited(own)) return 0
      return [...line.values()].filter(hasWaited).length
    },
    join({ organizationId, key }: Step, pauseMs: number): void {
      const nowMs = Date.now()
      const line = lineOf(organizationId)
      const { sinceMs } = line.get(key) ?? { sinceMs: nowMs }
      lines.set(organizationId, line.set(key, { sinceMs, untilMs: nowMs + pauseMs + lateMs }))
    },
    leave({ organizationId, key }: Step): void {
      const line = lineOf(organizationId)
      line.delete(key)
      if (line.size === 0) lines.delete(organizationId)
    },
  }
}

/** Two seconds, then twice as long each time, up to the most. Half of it is random, so that they do not return together. */
function secondsUntil(attempt: number, mostSeconds: number): number {
  const most = Math.min(mostSeconds, 2 ** Math.min(attempt, 16))
  const least = Math.max(2, most / 2)
  return least + Math.random() * (most - least)
}
