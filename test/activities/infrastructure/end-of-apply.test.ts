import { expect, test } from 'vitest'
import { endOfApply } from '../../../activities/infrastructure/end-of-runner.ts'
import { stepMemoryExceeded } from '../../../domain/infrastructure/how-killed.ts'

test('memory_exceeded: the step of an apply was killed for its memory use', () => {
  const message = stepMemoryExceeded('apply')
  const applied = { begun: true, how: 'killed', exitCode: null, limit: 'memory', message } as const
  expect(endOfApply(applied, undefined)).toEqual({
    phase: 'failed',
    reason: 'memory_exceeded',
    message,
  })
})

test('apply_errored: an apply that was killed for another reason', () => {
  const applied = { begun: true, how: 'killed', exitCode: null, message: 'killed' } as const
  expect(endOfApply(applied, undefined)).toMatchObject({ reason: 'apply_errored' })
})

test('canceled_by_user: a cancel takes precedence over how the step ended', () => {
  const applied = { begun: true, how: 'killed', exitCode: null, limit: 'memory' } as const
  expect(endOfApply(applied, 'canceled')).toMatchObject({ reason: 'canceled_by_user' })
})
