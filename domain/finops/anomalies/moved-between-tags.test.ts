import { expect, test } from 'vitest'
import { dayAfter } from './days.ts'
import { movedBetweenTags } from './moved-between-tags.ts'
import type { ScoredDay } from './scored-day.ts'

const first = '2026-03-01'
/** What is expected is what was usual, until a week has passed. */
const days = (costs: readonly number[], expected: readonly number[]): ScoredDay[] =>
  costs.map((actual, at) => ({
    day: dayAfter(first, at),
    actual,
    expected: expected[at] ?? 0,
    low: 0,
    high: 0,
    scale: 1,
    kind: null,
    run: 0,
    isLearned: false,
    drift: 0,
    share: 1,
    weekly: 0,
    monthly: null,
  }))
const level = (amount: number, count = 3) => Array.from({ length: count }, () => amount)
const on = (maps: ReadonlyArray<Map<string, number>>, at: number) =>
  maps.map((one) => one.get(dayAfter(first, at)) ?? 0)

test('what another value lost, and what lost its value, is no rise of a tag', () => {
  const a = days([100, 160, 250], level(100))
  const b = days([100, 40, 40], level(100))
  // Of 300 expected without a tag, 210 are left on the third day.
  const total = days([500, 500, 500], level(500))
  const moved = movedBetweenTags({ total, tags: [a, b] }, 5)
  expect(on(moved, 0)).toEqual([0, 0])
  expect(on(moved, 1)).toEqual([60, 0])
  expect(on(moved, 2)).toEqual([150, 90])
})

test('a loss under a floor of rises is noise', () => {
  const a = days([100, 120], level(100))
  const others = days([100, 86], level(100))
  const small = days([10, 7], level(10))
  expect(
    on(movedBetweenTags({ total: days([210, 213], level(210)), tags: [a, others, small] }, 5), 1),
  ).toEqual([0, 0, 0])
})

test('a loss counts for a week after the lower level is expected', () => {
  const a = days(level(100, 20), level(100, 20))
  const b = days([...level(100, 9), ...level(50, 11)], [...level(100, 11), ...level(50, 9)])
  const total = days(level(300, 20), level(300, 20))
  const moved = movedBetweenTags({ total, tags: [a, b] }, 5)
  expect([8, 9, 10, 11, 17, 18].map((at) => on(moved, at)[0])).toEqual([0, 50, 50, 50, 50, 0])
})
