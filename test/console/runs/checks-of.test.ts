import { expect, test } from 'vitest'
import type { Gate, Run, Stage } from '../../../console/src/api/types.ts'
import { stagesWithChecks } from '../../../console/src/runs/checks-of.ts'

const times = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:01:00Z' }
const runOf = (plan: Stage['state'], state: Run['state'], gates?: Gate[]) => ({
  state,
  reason: null,
  stages: [
    { name: 'plan', state: plan, ...times, ...(gates && { gates }) },
    { name: 'approve', state: 'pending' as const, startedAt: null, endedAt: null },
  ],
})
const policy = (result: Gate['result']): Gate => ({
  kind: 'policy',
  result,
  findings: result === 'pass' ? [] : [{ level: 'warn', message: 'one' }],
})
const shown = (run: ReturnType<typeof runOf>) =>
  stagesWithChecks(run).map(({ name, state, words }) => [name, words ?? state])

test('the checks are between the plan and the approval', () => {
  expect(shown(runOf('succeeded', 'running', [policy('pass')]))).toEqual([
    ['plan', 'succeeded'],
    ['checks', 'passed'],
    ['approve', 'pending'],
  ])
})

test.each([['fail'], ['error']] as const)(
  '%s: the plan was made, and its checks deny it',
  (result) => {
    const [plan, checks] = stagesWithChecks(runOf('failed', 'failed', [policy(result)]))
    expect(plan).toMatchObject({ state: 'succeeded' })
    expect(checks).toMatchObject({ state: 'failed', words: 'denied' })
  },
)

test('warnings are counted', () => {
  const run = runOf('succeeded', 'running', [policy('warn'), { ...policy('pass'), kind: 'cost' }])
  expect(shown(run)[1]).toEqual(['checks', 'passed with 1 warning'])
})

test('a plan that failed was not checked, and one that is made will be', () => {
  expect(shown(runOf('failed', 'failed')).slice(0, 2)).toEqual([
    ['plan', 'failed'],
    ['checks', 'skipped'],
  ])
  expect(shown(runOf('running', 'running'))[1]).toEqual(['checks', 'pending'])
})
