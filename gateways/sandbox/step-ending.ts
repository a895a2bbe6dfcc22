import type { LaunchedStep } from './launch.ts'
import type { StepEnd } from './workbench.ts'

/** Why and how a step is ended; the first reason is kept. */
export type StepEnding = {
  readonly how: StepEnd['how'] | undefined
  readonly limit: StepEnd['limit']
  /** Keeps a reason and lets the step end by itself. */
  note(reason: StepEnd['how']): void
  /** SIGINT, and SIGKILL for all after the grace period. */
  interrupt(reason: StepEnd['how']): void
  /** SIGKILL for all, at once. */
  kill(reason: StepEnd['how'], limit?: StepEnd['limit']): void
  /** The step has ended: forgets the grace time. */
  settle(): void
}

export function stepEnding(launched: LaunchedStep, graceMs: number): StepEnding {
  let how: StepEnd['how'] | undefined
  let limit: StepEnd['limit']
  let grace: NodeJS.Timeout | undefined
  return {
    get how() {
      return how
    },
    get limit() {
      return limit
    },
    note(reason) {
      how ??= reason
    },
    interrupt(reason) {
      if (how && how !== 'too_much_output') return
      how ??= reason
      void launched.interrupt()
      grace = setTimeout(() => launched.kill(), graceMs)
    },
    kill(reason, over) {
      if (!how) limit = over
      how ??= reason
      launched.kill()
    },
    settle: () => clearTimeout(grace),
  }
}
