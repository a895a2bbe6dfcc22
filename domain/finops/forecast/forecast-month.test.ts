import { expect, test } from 'vitest'
import { dayAfter } from '../anomalies/days.ts'
import { forecastRest } from './forecast-month.ts'

const days = (firstDay: string, count: number, amountOf: (day: string) => number) =>
  Array.from({ length: count }, (_, index) => {
    const day = dayAfter(firstDay, index)
    return { day, amount: amountOf(day) }
  })

const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay()

test('a level cost goes on to the end of the calendar month', () => {
  // 2026-02-10 is the last known day: 18 days are left.
  const forecast = forecastRest(days('2025-12-01', 72, () => 100))
  expect(forecast?.days).toBe(18)
  expect(forecast?.rest).toBeCloseTo(1800, 6)
  expect(forecast?.low).toBeLessThan(1800)
  expect(forecast?.high).toBeGreaterThan(1800)
})

test('weekends and a charge on the first of the month are foreseen', () => {
  const amountOf = (day: string) =>
    ([0, 6].includes(weekday(day)) ? 20 : 100) + (day.endsWith('-01') ? 500 : 0)
  const known = days('2026-01-01', 120, amountOf)
  expect(known.at(-1)?.day).toBe('2026-04-30')
  const may = days('2026-05-01', 31, amountOf).reduce((sum, { amount }) => sum + amount, 0)
  const forecast = forecastRest(known)
  expect(forecast?.days).toBe(31)
  expect(Math.abs((forecast?.rest ?? 0) / may - 1)).toBeLessThan(0.05)
})

test('cost that comes now and then is foreseen by its mean', () => {
  const known = days('2026-01-01', 90, (day) => (Number(day.slice(8)) % 5 === 0 ? 50 : 0))
  const { rest, days: left } = forecastRest(known) ?? { rest: 0, days: 0 }
  expect(left).toBe(30)
  expect(rest).toBeGreaterThan(250)
  expect(rest).toBeLessThan(350)
})

test('under 14 days nothing is foreseen', () => {
  expect(forecastRest(days('2026-01-01', 13, () => 100))).toBeNull()
  expect(forecastRest(days('2026-01-01', 14, () => 100))).not.toBeNull()
})

test('on the last day but one of a month, one day is left; on the last day the next month is', () => {
  expect(forecastRest(days('2026-01-01', 30, () => 100))?.days).toBe(1)
  expect(forecastRest(days('2026-01-01', 31, () => 100))?.days).toBe(28)
})
