import type { RunReason } from '../../domain/runs/run-state.ts'

/** The run failed, with a message for people. */
export class JobFailure extends Error {
  readonly reason: RunReason
  constructor(reason: RunReason, message: string) {
    super(message)
    this.reason = reason
  }
}
