import { expect, test } from 'vitest'
import { longestLine, waitInLineMs } from './wait-in-line.ts'

const looksASecond = (waiting: number, random: number) =>
  (waiting * 1_000) / waitInLineMs(waiting, { leastMs: 5_000, random })

test('a short line looks as often as it is told to', () => {
  for (const random of [0, 0.99]) expect(waitInLineMs(50, { leastMs: 5_000, random })).toBe(5_000)
})

test('a longer line looks no more often together', () => {
  for (const waiting of [50, 100, 300, longestLine])
    for (const random of [0, 0.5, 0.99]) {
      expect(looksASecond(waiting, random)).toBeGreaterThanOrEqual(10)
      expect(looksASecond(waiting, random)).toBeLessThan(13.4)
    }
})

test('each run looks at least once a minute', () => {
  const options = { leastMs: 5_000, random: 0.99 }
  expect(waitInLineMs(1_000_000, options)).toBe(waitInLineMs(longestLine, options))
  expect(waitInLineMs(longestLine, { ...options, random: 1 })).toBe(60_000)
})
