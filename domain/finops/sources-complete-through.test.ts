import { expect, test } from 'vitest'
import { sourcesCompleteThrough } from './sources-complete-through.ts'

const source = (newest: string | null, completeThrough: string | null) => ({
  newest,
  completeThrough,
})

test.each([
  [[], null],
  [[source(null, null)], null],
  [[source('2026-03-01', '2026-03-10'), source('2026-03-01', '2026-03-08')], '2026-03-08'],
  // A bill of last month is expected to be followed by one of this month.
  [[source('2026-03-01', '2026-03-10'), source('2026-02-01', '2026-02-28')], '2026-02-28'],
  [[source('2026-03-01', '2026-03-10'), source('2026-01-01', '2026-01-31')], '2026-03-10'],
  [[source('2026-01-01', '2026-01-10'), source('2025-12-01', '2025-12-31')], '2025-12-31'],
  [[source('2026-03-01', '2026-03-10'), source(null, null)], '2026-03-10'],
  [[source('2026-03-01', '2026-03-10'), source('2026-03-01', null)], null],
])('%j is complete through %s', (sources, day) => {
  expect(sourcesCompleteThrough(sources)).toBe(day)
})
