import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { Context } from '@temporalio/activity'
import type { Logger } from 'pino'
import { AppError } from '../domain/errors.ts'
import { toFault } from '../store/driver/connect.ts'

/** A temporary fault of work that has used all of its attempts. */
export class GivenUp extends Error {
  constructor(cause: unknown) {
    super('tried as often as it may be', { cause })
    this.name = 'GivenUp'
  }
}

/** A missing key does not come back by itself, so this fails soon. */
const isOperators = (error: unknown) =>
  error instanceof AppError && error.code === 'keyring_unavailable'

/**
 * No fault: another writer has the branch, its preparation is not complete, its organization has its share of the
 * slots, or a cloud limits our calls.
 */
const waits = new Set([
  'git_branch_busy',
  'git_being_prepared',
  'git_share_taken',
  'cloud_share_taken',
  'cloud_throttled',
])
const isWaiting = (error: unknown) => error instanceof AppError && waits.has(error.code)

type Activities = Record<string, (...args: never[]) => Promise<unknown>>

/** The same activities by the same names. Each renders its errors towards Temporal as `guard` does. */
export function guardAll<M extends Activities>(log: Logger, activities: M): M {
  const guarded = Object.entries(activities).map(([name, work]) => [name, guard(log, work)])
  // The same names with functions of the same types, which `Object.fromEntries` does not type.
  return Object.fromEntries(guarded) as M
}

/**
 * Renders errors towards Temporal as a fixed text with a code. Messages and stacks of libraries can contain
 * secrets, and Temporal's history is not masked. Every fault but `unavailable` is non-retryable; an unknown
 * error is retried.
 */
function guard<A extends unknown[], R>(
  log: Logger,
  work: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await work(...args)
    } catch (thrown) {
      const givenUp = thrown instanceof GivenUp
      const error = toFault(givenUp ? thrown.cause : thrown)
      const { activityType, attempt, workflowExecution } = Context.current().info
      const at = { activityType, attempt, workflowId: workflowExecution?.workflowId }
      if (isWaiting(error)) log.debug(at, 'an activity waits')
      else log.warn({ err: thrown, ...at }, 'an activity failed')
      const failure =
        error instanceof AppError && error.fault !== 'unavailable'
          ? ApplicationFailure.nonRetryable(`refused: ${error.code}`, error.code)
          : ApplicationFailure.create({
              message: 'a fault on our side; the log of the worker tells it',
              type: error instanceof AppError ? error.code : 'internal',
              nonRetryable: givenUp || (isOperators(error) && attempt >= 3),
              // Benign for Temporal's own log too.
              ...(isWaiting(error) && { category: ApplicationFailureCategory.BENIGN }),
              // A rate-limiting host says when to retry.
              ...(error instanceof AppError &&
                error.retryAfterSeconds !== undefined && {
                  nextRetryDelay: Math.round(error.retryAfterSeconds * 1_000),
                }),
            })
      failure.stack = ''
      throw failure
    }
  }
}
