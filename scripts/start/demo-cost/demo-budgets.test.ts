import { expect, test } from 'vitest'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { forecastBudget } from '../../../domain/finops/budgets/forecast-budget.ts'
import { judgeBudget } from '../../../domain/finops/budgets/judge-budget.ts'
import { demoBudgets } from './demo-budgets.ts'
import { million } from './demo-charge.ts'
import { chargesOfMonth, demoMonths } from './demo-months.ts'

const clouds = ['aws', 'azure', 'gcp'] as const

/** The cost of each day of the clouds that a budget is of. */
function daysOf(today: string, provider: unknown) {
  const days = new Map<string, number>()
  const time = { anchor: today, today }
  for (const cloud of clouds)
    for (const month of provider === null || provider === cloud ? demoMonths(time) : [])
      for (const { day, effective } of chargesOfMonth({ ...time, cloud, month }))
        days.set(day, (days.get(day) ?? 0) + effective / million)
  return [...days]
    .map(([day, amount]) => ({ day, amount }))
    .toSorted((a, b) => (a.day < b.day ? -1 : 1))
}

for (const today of ['2026-11-01', '2026-11-02', '2026-11-23', '2026-11-30', '2026-12-31'])
  test(`each budget has the state that it is made for, on ${today}`, () => {
    const made = demoBudgets({ anchor: today, today, shopId: 7 })
    expect(new Set(made.map(({ state }) => state))).toEqual(
      new Set(['ok', 'warn', 'exceeded', 'unknown']),
    )
    expect(made.filter(({ body }) => body.overBudget === 'approve')).toHaveLength(1)
    for (const { body, state } of made) {
      const { scopeKind, scopeValue = null } = body
      if (scopeKind !== 'all' && scopeKind !== 'provider') continue
      const days = daysOf(today, scopeValue)
      const actual = days
        .filter(({ day }) => day.startsWith(today.slice(0, 7)))
        .reduce((sum, { amount }) => sum + amount, 0)
      const through = dayAfter(today, -2)
      const forecast = forecastBudget({ days, completeThrough: through, today, actual })
      const figures = { actual: actual.toFixed(6), unknownBecause: null, forecast }
      const budget = { amountMonthly: String(body.amountMonthly), threshold: '0.8' }
      expect([body.name, judgeBudget(budget, figures).state]).toEqual([body.name, state])
    }
  })
