import { expect, test } from 'vitest'
import { medianOf, weeksOf, type HistoryDay } from './run-history.ts'

const days = (count: number): HistoryDay[] =>
  Array.from({ length: count }, (_, at) => ({
    day: `2026-03-${String(at + 1).padStart(2, '0')}`,
    succeeded: 0,
    failed: 0,
    canceled: 0,
    stopped: 0,
    leadSeconds: null,
    waitSeconds: null,
    changes: at,
  }))

test('whole weeks that end today', () => {
  expect(weeksOf(days(30)).map(({ from }) => from)).toEqual([
    '2026-03-03',
    '2026-03-10',
    '2026-03-17',
    '2026-03-24',
  ])
  expect(weeksOf(days(7))).toEqual([{ from: '2026-03-01', changes: 21 }])
  expect(weeksOf([])).toEqual([])
})

test('days without a run count in no median', () => {
  expect(medianOf([null, 3, 1, null, 2])).toBe(2)
  expect(medianOf([4, 1])).toBe(1)
  expect(medianOf([null])).toBeNull()
})
