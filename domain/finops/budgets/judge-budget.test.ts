import { describe, expect, test } from 'vitest'
import type { BudgetFigures } from './budget.ts'
import { judgeBudget } from './judge-budget.ts'

const budget = { amountMonthly: '100.000000000000', threshold: '0.800000000000' }
const figures = (actual: string, forecast: number | null = null): BudgetFigures => ({
  actual,
  unknownBecause: null,
  forecast: forecast === null ? null : { amount: forecast, low: forecast, high: forecast },
  noForecastBecause: forecast === null ? 'short_history' : null,
})

describe('judgeBudget', () => {
  test.each([
    ['0', 'ok'],
    ['79.999999999999', 'ok'],
    ['80', 'warn'],
    ['99.999999999999', 'warn'],
    ['100', 'exceeded'],
    ['-5', 'ok'],
    ['1000000000000000000000.5', 'exceeded'],
  ] as const)('of 100, warning at 80 %%: %s is %s', (actual, state) => {
    expect(judgeBudget(budget, figures(actual))).toEqual({ state, forecastState: null })
  })

  test('a share that no float has exactly: 55 % of 100 is reached at 55', () => {
    const half = { amountMonthly: '100', threshold: '0.55' }
    expect(judgeBudget(half, figures('55.000000000000')).state).toBe('warn')
    expect(judgeBudget(half, figures('54.999999999999')).state).toBe('ok')
  })

  test('a forecast at the amount warns now; one at the threshold does not', () => {
    expect(judgeBudget(budget, figures('10', 100))).toEqual({
      state: 'warn',
      forecastState: 'exceeded',
    })
    expect(judgeBudget(budget, figures('10', 85))).toEqual({ state: 'ok', forecastState: 'warn' })
    expect(judgeBudget(budget, figures('10', 12.5))).toEqual({ state: 'ok', forecastState: 'ok' })
    expect(judgeBudget(budget, figures('10', 1e300)).forecastState).toBe('exceeded')
  })

  test.each(['late_bill', 'no_rate'] as const)(
    'with %s the known part alone may be exceeded; below the amount the state is unknown',
    (unknownBecause) => {
      const known = (actual: string, forecast: number) =>
        judgeBudget(budget, { ...figures(actual, forecast), unknownBecause })
      expect(known('100', 900)).toEqual({ state: 'exceeded', forecastState: 'exceeded' })
      expect(known('99.99', 900)).toEqual({ state: 'unknown', forecastState: 'exceeded' })
      expect(known('10', 12)).toEqual({ state: 'unknown', forecastState: 'ok' })
    },
  )
})
