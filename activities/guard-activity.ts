import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { Context } from '@temporalio/activity'
import type { Logger } from 'pino'
import { AppError } from '../domain/errors.ts'
import { toFault } from '../store/connect.ts'

/** A fault that may pass, of work that was tried as often as it may be. */
export class GivenUp extends Error {
  constructor(cause: unknown) {
    super('tried as often as it may be', { cause })
    this.name = 'GivenUp'
  }
}

/** A key does not come back by itself: who waits for the run is told soon. */
const isOperators = (error: unknown) =>
  error instanceof AppError && error.code === 'keyring_unavailable'

/** Nothing is wrong: another writer has the branch, or its preparation is not over. */
const waits = new Set(['git_branch_busy', 'git_being_prepared'])
const isWaiting = (error: unknown) => error instanceof AppError && waits.has(error.code)

/**
 * The one renderer of errors towards the engine. What it is told is a fixed text with a code:
 * messages and stacks of libraries can carry values, and its history is not ours to mask.
 * Every fault but `unavailable` is final; what is not a known fault may be tried again.
 */
export function guardActivity<A extends unknown[], R>(
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
              // The engine's own log takes it for no fault either.
              ...(isWaiting(error) && { category: ApplicationFailureCategory.BENIGN }),
              // A host that limits us says when it may be asked again.
              ...(error instanceof AppError &&
                error.retryAfterSeconds !== undefined && {
                  nextRetryDelay: error.retryAfterSeconds * 1_000,
                }),
            })
      failure.stack = ''
      throw failure
    }
  }
}
