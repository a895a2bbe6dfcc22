import { expect, test } from 'vitest'
import { dayAfter } from './days.ts'

test('a day after another is that of the calendar, also over months, years and leap days', () => {
  const first = Date.UTC(2023, 10, 20)
  for (let n = 0; n < 500; n += 1) {
    const dayOf = (days: number) =>
      new Date(first + (n + days) * 86_400_000).toISOString().slice(0, 10)
    for (const count of [-400, -28, -7, -1, 0, 1, 7, 27, 28, 31, 365])
      expect(dayAfter(dayOf(0), count)).toBe(dayOf(count))
  }
})
