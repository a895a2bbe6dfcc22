import { expect, test } from 'vitest'
import { median, quantile } from './robust.ts'

const some = (count: number) =>
  Array.from({ length: count }, (_, n) => ((n * 7_919 + count) % 101) - 50 + (n % 3) / 7)

test('a median and a quantile are those of the sorted values, of few and of many', () => {
  for (const count of [1, 2, 3, 10, 41, 63, 64, 65, 200]) {
    const values = some(count)
    const sorted = values.toSorted((a, b) => a - b)
    const middle = count >> 1
    const even = ((sorted[middle] ?? 0) + (sorted[middle - 1] ?? 0)) / 2
    expect(median(values)).toBe(count % 2 === 1 ? sorted[middle] : even)
    expect(quantile(values, 0.93)).toBe(sorted[Math.ceil(count * 0.93) - 1])
    expect(values).toEqual(some(count))
  }
  expect([median([]), quantile([], 0.5)]).toEqual([0, 0])
})

test('a median of a part of the values', () => {
  expect(median([9, 1, 3, 2, 9], 1, 4)).toBe(2)
  expect(median([9, 1, 3, 2], 2)).toBe(2.5)
  expect(median([9, 1], 1, 1)).toBe(0)
})

test('what is no number stands last, as in a typed array that is sorted', () => {
  expect(median([Number.NaN, 1, 2])).toBe(2)
})
