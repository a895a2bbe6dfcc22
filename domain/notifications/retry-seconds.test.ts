import { expect, test } from 'vitest'
import { retrySeconds } from './retry-seconds.ts'

const at = (failures: number, random = 0.5) => retrySeconds(failures, { mostSeconds: 300, random })

test('each failure doubles the pause, up to the most', () => {
  expect([0, 1, 2, 3, 6, 7, 1_000].map((failures) => at(failures))).toEqual([
    5, 10, 20, 40, 300, 300, 300,
  ])
})

test('the pause varies by a quarter', () => {
  expect([at(1, 0), at(1, 1)]).toEqual([7.5, 12.5])
})
