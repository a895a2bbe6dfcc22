import { expect, test } from 'vitest'
import { dayAfter } from '../anomalies/days.ts'
import { forecastBudget, isLevelUnrated } from './forecast-budget.ts'

const flat = (first: string, count: number, amount = 10) =>
  Array.from({ length: count }, (_, n) => ({ day: dayAfter(first, n), amount }))

test('complete days as billed, and the rest by the model', () => {
  // September and October, and ten days of November at twice the cost.
  const days = [...flat('2026-09-01', 61), ...flat('2026-11-01', 10, 10)]
  const forecast = forecastBudget({
    days,
    completeThrough: '2026-11-10',
    today: '2026-11-12',
    actual: 103,
  })
  expect(forecast?.amount).toBeCloseTo(300, 3)
  expect(forecast?.low).toBeGreaterThanOrEqual(103)
  expect(forecast?.high).toBeGreaterThanOrEqual(300)
})

test('null under 14 complete days of history', () => {
  const of = (count: number) => ({
    days: flat('2026-11-01', count),
    completeThrough: dayAfter('2026-11-01', count - 1),
    today: '2026-11-20',
    actual: 0,
  })
  expect(forecastBudget(of(13))).toBe(null)
  expect(forecastBudget(of(14))?.amount).toBeCloseTo(300, 3)
  expect(forecastBudget({ ...of(14), days: [] })).toBe(null)
  // Days that are not complete are no history.
  expect(forecastBudget({ ...of(20), completeThrough: '2026-11-13' })).toBe(null)
})

test('on the first days of a month, where the last bill is of the month before', () => {
  const days = flat('2026-09-01', 60)
  const forecast = forecastBudget({
    days,
    completeThrough: '2026-10-30',
    today: '2026-11-01',
    actual: 0,
  })
  expect(forecast?.amount).toBeCloseTo(300, 3)
})

test('never below what is billed already, and exact on the last day', () => {
  const days = flat('2026-09-01', 91)
  const whole = { days, completeThrough: '2026-11-30', today: '2026-11-30', actual: 300 }
  expect(forecastBudget(whole)).toEqual({ amount: 300, low: 300, high: 300 })
  const more = forecastBudget({ ...whole, completeThrough: '2026-11-20', actual: 5_000 })
  expect(more?.amount).toBe(5_000)
})

test('money without a rate hides the level in the last 56 complete days and after them', () => {
  const at = { completeThrough: '2026-11-10', today: '2026-11-12' }
  expect(isLevelUnrated(null, at)).toBe(false)
  expect(isLevelUnrated(dayAfter('2026-11-10', -56), at)).toBe(false)
  expect(isLevelUnrated(dayAfter('2026-11-10', -55), at)).toBe(true)
  expect(isLevelUnrated('2026-11-11', at)).toBe(true)
  // A bill may be complete past today.
  expect(
    isLevelUnrated(dayAfter('2026-11-12', -55), { ...at, completeThrough: '2026-11-30' }),
  ).toBe(true)
})
