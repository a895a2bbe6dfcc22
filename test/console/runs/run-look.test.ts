import { expect, test } from 'vitest'
import type { Run } from '../../../console/src/api/types.ts'
import { runLook } from '../../../console/src/parts/run-look.ts'

const looked = (reason: NonNullable<Run['reason']>) => {
  const { word, tone } = runLook({ state: 'failed', reason })
  return [word, tone]
}

test.each([
  ['rejected', 'Rejected', 'warn'],
  ['policy_denied', 'Denied', 'bad'],
  ['cost_exceeded', 'Denied', 'bad'],
  ['cost_unknown', 'Denied', 'bad'],
  ['plan_stale', 'Out of date', 'info'],
  ['superseded', 'Out of date', 'info'],
  ['approval_expired', 'Expired', 'quiet'],
  ['apply_errored', 'Failed', 'bad'],
] as const)('a run that ended with %s is %s', (reason, word, tone) => {
  expect(looked(reason)).toEqual([word, tone])
})

test('a superseded run that was canceled is out of date too', () => {
  expect(runLook({ state: 'canceled', reason: 'superseded' }).word).toBe('Out of date')
})

test('a run that goes on shows its state, whatever ended an earlier attempt', () => {
  const run = { state: 'running', reason: 'plan_stale', queued: false } as const
  expect(runLook(run).word).toBe('Running')
})
