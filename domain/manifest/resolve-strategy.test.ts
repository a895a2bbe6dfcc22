import { expect, test } from 'vitest'
import { resolveStrategy } from './resolve-strategy.ts'

const rolling = { kind: 'rolling', batch: { percent: 25 }, pauseSeconds: 0, maxFailures: 0 }

test('without a label, the manifest’s; without one, rolling', () => {
  expect(resolveStrategy(null)).toEqual(rolling)
  expect(resolveStrategy(null, { strategy: 'blue_green' })).toEqual({
    kind: 'blue-green',
    confirm: 'none',
    keepOldSeconds: 3_600,
  })
  expect(resolveStrategy('All at once', { strategy: 'canary' })).toEqual({
    kind: 'all-at-once',
    maxFailures: 0,
  })
})

test.each(['rolling', 'Rolling', ' rolling update ', 'ROLLING_STRATEGY', 'rolling-update'])(
  '"%s" is rolling',
  (label) => expect(resolveStrategy(label)).toEqual(rolling),
)

test.each(['', 'update', 'roll', 'rolling canary', 'constructor', '__proto__'])(
  '"%s" is none',
  (label) => expect(resolveStrategy(label, { strategies: {} })).toBeUndefined(),
)

test('a definition stands above a built-in one of its name, and what it leaves out is filled in', () => {
  const deploy = {
    strategies: {
      Rolling: { kind: 'canary' as const, steps: [10, 100], bake: '2m' },
      'two by two': { kind: 'rolling' as const, batch: 2, pause: '90s', maxFailures: 1 },
      third: { kind: 'rolling' as const, batch: '33%' },
    },
  }
  expect(resolveStrategy('rolling', deploy)).toEqual({
    kind: 'canary',
    steps: [10, 100],
    bakeSeconds: 120,
    confirm: 'none',
    maxFailures: 0,
  })
  expect(resolveStrategy('two_by_two', deploy)).toEqual({
    kind: 'rolling',
    batch: { hosts: 2 },
    pauseSeconds: 90,
    maxFailures: 1,
  })
  expect(resolveStrategy('third', deploy)).toMatchObject({ batch: { percent: 33 } })
  expect(resolveStrategy('canary', deploy)).toMatchObject({ steps: [5, 25, 100], bakeSeconds: 120 })
})
