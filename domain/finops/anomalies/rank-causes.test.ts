import { describe, expect, test } from 'vitest'
import { dayAfter } from './days.ts'
import { rankCauses, type DayCost, type RunToJudge } from './rank-causes.ts'

const days = { baselineFrom: '2026-03-01', firstDay: '2026-03-15', lastDay: '2026-03-18' }
const costs = (from: string, count: number, amount: number): DayCost[] =>
  Array.from({ length: count }, (_, n) => ({ day: dayAfter(from, n), amount }))
const run = (runId: number, of: Partial<RunToJudge> = {}): RunToJudge => ({
  runId,
  appliedOn: '2026-03-14',
  predictedDelta: null,
  costs: [],
  ...of,
})
const ranked = (...runs: RunToJudge[]) => rankCauses(runs, days, 10)

describe('the runs that may have caused an anomaly', () => {
  test('what it created counts whole, what it changed by what it costs more', () => {
    const created = run(1, { costs: costs('2026-03-15', 4, 10) })
    const changed = run(2, {
      costs: [...costs('2026-03-01', 14, 20), ...costs('2026-03-15', 4, 25)],
    })
    expect(ranked(changed, created)).toEqual([
      { runId: 1, because: 'resource', rise: 40 },
      { runId: 2, because: 'resource', rise: 20 },
    ])
  })

  test('one whose resources did not rise stands behind, by what its plan said', () => {
    const level = run(1, { costs: costs('2026-03-01', 18, 20), predictedDelta: 5 })
    const fell = run(2, { costs: costs('2026-03-01', 14, 20), predictedDelta: 50 })
    const other = run(3, { predictedDelta: 9 })
    const rose = run(4, { costs: costs('2026-03-15', 4, 0.01), predictedDelta: -9 })
    expect(ranked(level, fell, other, rose)).toMatchObject([
      { runId: 4, because: 'resource' },
      { runId: 2, because: 'account', rise: 0 },
      { runId: 3, because: 'account', rise: 0 },
      { runId: 1, because: 'account', rise: 0 },
    ])
  })

  test('a run explains nothing of the days before it', () => {
    const resource = [...costs('2026-03-01', 14, 10), ...costs('2026-03-15', 4, 60)]
    const before = run(1, { costs: resource, appliedOn: '2026-03-14' })
    const during = run(2, { costs: resource, appliedOn: '2026-03-17' })
    expect(ranked(during, before)).toMatchObject([
      { runId: 1, rise: 200 },
      { runId: 2, because: 'resource' },
    ])
    expect(ranked(during)[0]?.rise).toBeCloseTo(2 * (60 - 260 / 16))
  })

  test('of runs of the same resource the one whose plan said more, then the later one', () => {
    const same = { costs: costs('2026-03-15', 4, 10) }
    const order = ranked(
      run(1, { ...same, predictedDelta: 0, appliedOn: '2026-03-14' }),
      run(2, { ...same, predictedDelta: 300, appliedOn: '2026-03-13' }),
      run(3, { ...same, appliedOn: '2026-03-15' }),
    )
    expect(order.map(({ runId }) => runId)).toEqual([2, 3, 1])
  })

  test('no more than are asked for', () => {
    const runs = Array.from({ length: 30 }, (_, n) => run(n + 1))
    expect(rankCauses(runs, days, 10)).toHaveLength(10)
    expect(rankCauses([], days, 10)).toEqual([])
  })
})
