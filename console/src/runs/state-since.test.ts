import { expect, test } from 'vitest'
import { stateSince } from './state-since.ts'

test('only a newer serial of the workspace proves that the state was written again', () => {
  expect(stateSince(4, 5)).toBe('rewritten')
  expect(stateSince(4, 4)).toBe('newest')
})

test('an older serial, and one that is not known, prove nothing', () => {
  expect(stateSince(4, 3)).toBe('unknown')
  expect(stateSince(4, null)).toBe('unknown')
  expect(stateSince(4, undefined)).toBe('unknown')
})
