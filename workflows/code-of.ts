import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow'

/** The code of the fault that an activity ended with, alone: see guardActivity. */
export const codeOf = (error: unknown): string =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure
    ? (error.cause.type ?? 'internal')
    : 'timed_out'
