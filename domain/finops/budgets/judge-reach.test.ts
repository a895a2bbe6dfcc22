import { describe, expect, test } from 'vitest'
import {
  budgetFindingsOf,
  judgeReach,
  withBudgetFindings,
  type StatedBudget,
} from './judge-reach.ts'

const budget = (
  fields: Partial<StatedBudget> & { expected?: number | null } = {},
): StatedBudget => {
  const { expected = 900, ...rest } = fields
  const forecast = expected === null ? null : { amount: expected, low: expected, high: expected }
  return {
    id: 1,
    name: 'Shop',
    amountMonthly: '1000.000000000000',
    overBudget: 'approve',
    currency: 'USD',
    state: 'ok',
    figures: { actual: '0', forecast },
    ...rest,
  }
}
const judge = (delta: string | null, fields: Parameters<typeof budget>[0] = {}) =>
  judgeReach([{ budgetId: 1, delta }], [budget(fields)])

describe('judgeReach', () => {
  test('holds a run where forecast and delta reach the amount', () => {
    expect(judge('99.99')).toEqual({ holds: false, findings: [] })
    expect(judge('100')).toEqual({
      holds: true,
      findings: [
        {
          level: 'warn',
          message:
            'The budget Shop of 1000.00 USD a month would be reached: 900.00 USD are expected this month and the plan adds 100.00 USD a month. A second person must approve the plan.',
          budget: { id: 1, name: 'Shop' },
          breaks: true,
        },
      ],
    })
    expect(judge('-10', { expected: 1_010 }).holds).toBe(true)
    expect(judge('-11', { expected: 1_010 }).holds).toBe(false)
  })

  test('holds a run where the delta, the forecast or the state is not known', () => {
    expect(judge(null, { expected: 1 })).toMatchObject({
      holds: true,
      findings: [{ breaks: false }],
    })
    expect(judge('1', { expected: null })).toMatchObject({
      holds: true,
      findings: [{ breaks: false }],
    })
    expect(judge('1', { state: 'unknown', expected: 1 }).holds).toBe(true)
  })

  test('without a forecast, what is spent breaks one that is exceeded already', () => {
    const spent = (actual: string) =>
      ({ expected: null, state: 'exceeded', figures: { actual, forecast: null } }) as const
    for (const overBudget of ['warn', 'approve'] as const) {
      const fields = { ...spent('1100'), overBudget }
      const holds = overBudget === 'approve'
      const of = (end: string) =>
        `The budget Shop of 1000.00 USD a month is exceeded: 1100.00 USD are spent this month${end}.${holds ? ' A second person must approve the plan.' : ''}`
      const found = (message: string) => ({ holds, findings: [{ message, breaks: true }] })
      expect(judge('5', fields)).toMatchObject(found(of(' and the plan adds 5.00 USD a month')))
      expect(judge('0', fields)).toMatchObject(found(of('')))
      expect(judge(null, fields)).toMatchObject(
        found(of(', and the plan changes resources in its scope that have no price')),
      )
      expect(judge('-101', fields).findings.filter(({ breaks }) => breaks)).toEqual([])
    }
    expect(judge('5', { ...spent('1100'), state: 'unknown' }).findings[0]?.breaks).toBe(false)
  })

  test('one that only warns holds nothing, and says only what it knows', () => {
    const warns = { overBudget: 'warn' } as const
    expect(judge('100', warns)).toMatchObject({ holds: false, findings: [{ breaks: true }] })
    for (const unknown of [{ expected: null }, { state: 'unknown' as const }])
      expect(judge('100', { ...warns, ...unknown })).toEqual({ holds: false, findings: [] })
    expect(judge(null, warns)).toEqual({ holds: false, findings: [] })
  })

  test('a deleted budget holds nothing', () => {
    expect(judgeReach([{ budgetId: 2, delta: null }], [budget()]).holds).toBe(false)
  })
})

describe('withBudgetFindings', () => {
  const policy = { kind: 'policy', result: 'pass', findings: [] }
  const info = { level: 'info', message: 'x has no price' }

  test('replaces those of before, and leaves the rest', () => {
    const gates = [policy, { kind: 'cost', result: 'pass', findings: [info] }]
    const { findings } = judge('100')
    const once = withBudgetFindings(gates, findings)
    expect(once).toEqual([policy, { kind: 'cost', result: 'warn', findings: [info, ...findings] }])
    expect(withBudgetFindings(once, findings)).toEqual(once)
    expect(budgetFindingsOf(once)).toEqual(findings)
  })

  test('a gate that fails goes on to fail', () => {
    const gates = [{ kind: 'cost', result: 'fail', findings: [] }]
    expect(withBudgetFindings(gates, judge('100').findings)).toMatchObject([{ result: 'fail' }])
  })
})
