import { expect, test } from 'vitest'
import { completeThrough } from './complete-through.ts'

const now = new Date('2026-03-15T00:30:00Z')

test.each([
  [['aws'], '2026-03-15', '2026-03-14'],
  [['azure'], '2026-03-15', '2026-03-13'],
  [['gcp'], '2026-03-14', '2026-03-13'],
  [['aws', 'gcp'], '2026-03-15', '2026-03-13'],
  [['another'], '2026-03-31', '2026-03-13'],
  [['aws'], '2026-03-10', '2026-03-10'],
  [['aws'], '2026-02-28', '2026-02-28'],
])('%s with a last day of %s is complete through %s', (providers, lastDay, through) => {
  expect(completeThrough(providers, lastDay, now)).toBe(through)
})

test('a bill without charges is complete through no day', () => {
  expect(completeThrough([], null, now)).toBeNull()
})
