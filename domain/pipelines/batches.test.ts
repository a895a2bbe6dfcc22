import { describe, expect, test } from 'vitest'
import type { HostStrategy } from '../manifest/resolve-strategy.ts'
import { batchSizes, confirmsAfter, pauseMsOf } from './batches.ts'

const rolling = (batch: { hosts: number } | { percent: number }): HostStrategy => ({
  kind: 'rolling',
  batch,
  pauseSeconds: 7,
  maxFailures: 0,
})
const canary = (steps: number[], confirm: 'none' | 'first' | 'each' = 'none'): HostStrategy => ({
  kind: 'canary',
  steps,
  bakeSeconds: 120,
  confirm,
  maxFailures: 0,
})

describe('batchSizes', () => {
  test.each([
    [rolling({ percent: 25 }), 10, [3, 3, 3, 1]],
    [rolling({ percent: 25 }), 1, [1]],
    [rolling({ percent: 1 }), 3, [1, 1, 1]],
    [rolling({ percent: 100 }), 7, [7]],
    [rolling({ percent: 7 }), 100, [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 2]],
    [rolling({ hosts: 4 }), 9, [4, 4, 1]],
    [rolling({ hosts: 1_000 }), 3, [3]],
    [canary([5, 25, 100]), 100, [5, 20, 75]],
    [canary([5, 25, 100]), 10, [1, 2, 7]],
    [canary([5, 25, 100]), 2, [1, 1]],
    [canary([5, 25, 100]), 1, [1]],
    [canary([1, 2, 3, 100]), 10, [1, 1, 1, 7]],
    [canary([100]), 5, [5]],
    [{ kind: 'all-at-once', maxFailures: 0 } as const, 5, [5]],
    [rolling({ hosts: 4 }), 0, []],
  ])('%j of %d hosts', (strategy, hosts, sizes) => {
    expect(batchSizes(strategy, hosts)).toEqual(sizes)
  })

  test('all hosts, and none twice, for every share and number', () => {
    for (let hosts = 1; hosts <= 120; hosts += 1)
      for (let percent = 1; percent <= 100; percent += 1)
        for (const strategy of [rolling({ percent }), canary([...new Set([percent, 100])])]) {
          const sizes = batchSizes(strategy, hosts)
          expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(hosts)
          expect(Math.min(...sizes)).toBeGreaterThan(0)
          expect(sizes[0]).toBe(Math.min(hosts, Math.ceil((hosts * percent) / 100)))
        }
  })
})

test('who is asked after which batch, and how long the next one waits', () => {
  const asked = (strategy: HostStrategy) =>
    [1, 2, 3].filter((batch) => confirmsAfter(strategy, batch))
  expect(asked(canary([5, 100], 'first'))).toEqual([1])
  expect(asked(canary([5, 100], 'each'))).toEqual([1, 2, 3])
  expect(asked(canary([5, 100]))).toEqual([])
  expect(asked(rolling({ hosts: 1 }))).toEqual([])
  expect(asked({ kind: 'blue-green', confirm: 'each', keepOldSeconds: 0 })).toEqual([1, 2, 3])
  expect(pauseMsOf(rolling({ hosts: 1 }))).toBe(7_000)
  expect(pauseMsOf(canary([100]))).toBe(120_000)
  expect(pauseMsOf({ kind: 'all-at-once', maxFailures: 0 })).toBe(0)
})
