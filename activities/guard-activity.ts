import { ApplicationFailure } from '@temporalio/common'
import { Context } from '@temporalio/activity'
import type { Logger } from 'pino'
import { AppError } from '../domain/errors.ts'
import { toFault } from '../store/connect.ts'

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
      const error = toFault(thrown)
      const { activityType, attempt, workflowExecution } = Context.current().info
      log.warn(
        { err: thrown, activityType, attempt, workflowId: workflowExecution?.workflowId },
        'an activity failed',
      )
      const failure =
        error instanceof AppError && error.fault !== 'unavailable'
          ? ApplicationFailure.nonRetryable(`refused: ${error.code}`, error.code)
          : ApplicationFailure.retryable(
              'a fault on our side; the log of the worker tells it',
              error instanceof AppError ? error.code : 'internal',
            )
      failure.stack = ''
      throw failure
    }
  }
}
