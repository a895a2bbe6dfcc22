import { setImmediate } from 'node:timers/promises'

/** Of a nanosecond or two each: some milliseconds. */
const stepsOfTurn = 4_000_000

export type CountSteps = (steps: number) => Promise<void>

/**
 * Counts the steps of a computation, and lets the event loop have its turn after so many of them. An attacker can
 * make what is read of a Git host as long as its limits allow, and the worker would answer nobody meanwhile.
 */
export function countTurns(): CountSteps {
  let sinceTurn = 0
  return async (steps) => {
    sinceTurn += steps
    if (sinceTurn < stepsOfTurn) return
    sinceTurn = 0
    await setImmediate()
  }
}
