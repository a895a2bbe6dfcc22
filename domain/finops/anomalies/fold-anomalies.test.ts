import { expect, test } from 'vitest'
import { dayAfter } from './days.ts'
import { foldAnomalies, type Foldable } from './fold-anomalies.ts'

const one = (id: number, firstDay: string, more: Partial<Foldable> = {}): Foldable => ({
  id,
  parentId: null,
  service: 'S3',
  firstDay,
  lastDay: firstDay,
  state: 'resolved',
  isTold: false,
  ...more,
})

test('of anomalies in the same days the dearest is shown, also across the end of a month and a year', () => {
  const parents = foldAnomalies([
    one(1, '2025-12-30', { lastDay: '2026-02-02' }),
    one(2, '2026-01-15'),
    one(3, '2026-02-02', { lastDay: '2026-02-05' }),
    one(4, '2026-02-05'),
    one(5, '2026-01-15', { service: 'EC2' }),
  ])
  expect([...parents]).toEqual([
    [1, null],
    [2, 1],
    [3, 1],
    [4, null],
    [5, null],
  ])
})

test('of several that it may be below it is the one that comes first, whichever month they share', () => {
  const parents = foldAnomalies([
    one(1, '2026-02-03'),
    one(2, '2026-01-30'),
    one(3, '2026-01-29', { lastDay: '2026-02-04' }),
  ])
  expect(parents.get(3)).toBe(1)
  const known = one(4, '2026-01-29', { lastDay: '2026-02-04', parentId: 2 })
  expect(foldAnomalies([one(1, '2026-02-03'), one(2, '2026-01-30'), known]).get(4)).toBe(2)
})

test('one is compared with those of its own months, not with those of all years', () => {
  let reads = 0
  const anomalies = Array.from({ length: 2_000 }, (_, index) => {
    const made = one(index + 1, dayAfter('2000-01-01', 4 * index))
    return Object.defineProperty(made, 'lastDay', {
      get: () => {
        reads += 1
        return made.firstDay
      },
    })
  })
  expect([...foldAnomalies(anomalies).values()].every((parent) => parent === null)).toBe(true)
  // Of all pairs it would be two million.
  expect(reads).toBeLessThan(50_000)
})
