import { expect, test } from 'vitest'
import { endOf, runOutcomes, stoppedReasons } from './run-outcome.ts'
import { runReasons, type TerminalPhase } from './run-state.ts'

test('each end has one outcome', () => {
  const ends = (['succeeded', 'failed', 'canceled'] as const).flatMap((phase) =>
    [...runReasons, null].map((reason) => ({ phase, reason })),
  )
  for (const { phase, reason } of ends) {
    const fitting = runOutcomes.filter((outcome) => {
      const { phases, reasons, isOneOf } = endOf(outcome)
      const isNamed = reason !== null && reasons.includes(reason)
      return phases.includes(phase) && isNamed === isOneOf
    })
    // No run that succeeded was stopped.
    const isImpossible = phase === 'succeeded' && reason !== null && stoppedReasons.includes(reason)
    expect(fitting, `${phase} ${reason}`).toHaveLength(isImpossible ? 0 : 1)
  }
})

test.each([
  ['failed', 'plan_errored', 'failed'],
  ['failed', 'runner_lost', 'failed'],
  ['failed', 'cost_unknown', 'denied'],
  ['failed', 'rejected', 'rejected'],
  ['failed', 'approval_expired', 'expired'],
  ['canceled', 'superseded', 'out_of_date'],
  ['canceled', 'canceled_by_user', 'canceled'],
] as const)('%s for %s is %s', (phase, reason, outcome) => {
  const { phases, reasons, isOneOf } = endOf(outcome)
  expect([phases.includes(phase as TerminalPhase), reasons.includes(reason)]).toEqual([
    true,
    isOneOf,
  ])
})
