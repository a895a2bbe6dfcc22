import { expect, test } from 'vitest'
import { nextSync } from './next-sync.ts'

const now = new Date('2026-11-22T12:00:00Z')
const minutesUntil = (account: Partial<Parameters<typeof nextSync>[1]>) =>
  (nextSync(now, { id: 1, syncIntervalMinutes: 60, refusedSyncs: 0, ...account }).getTime() -
    now.getTime()) /
  60_000

test('within half an interval and one and a half, and always at the account’s own moment', () => {
  for (let id = 1; id < 200; id += 1) {
    expect(minutesUntil({ id })).toBeGreaterThanOrEqual(30)
    expect(minutesUntil({ id })).toBeLessThanOrEqual(90)
  }
  const first = nextSync(now, { id: 7, syncIntervalMinutes: 60, refusedSyncs: 0 })
  const second = nextSync(first, { id: 7, syncIntervalMinutes: 60, refusedSyncs: 0 })
  expect(second.getTime() - first.getTime()).toBe(3_600_000)
})

test('accounts that were connected together are synced apart', () => {
  const at = Array.from({ length: 60 }, (_, n) => minutesUntil({ id: n + 1 })).toSorted(
    (a, b) => a - b,
  )
  const gaps = at.slice(1).map((minutes, n) => minutes - (at[n] ?? 0))
  expect(Math.max(...gaps)).toBeLessThan(3)
})

test('refused credentials: each pause doubles, up to a day', () => {
  expect([1, 2, 3, 9].map((refusedSyncs) => minutesUntil({ refusedSyncs }))).toEqual([
    120, 240, 480, 1_440,
  ])
  // An interval above a day stays.
  expect(minutesUntil({ refusedSyncs: 1, syncIntervalMinutes: 2_880 })).toBe(2_880)
})
