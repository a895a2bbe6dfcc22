import { describe, expect, test } from 'vitest'
import { budgetChange } from './budget-change.ts'

const was = {
  name: 'shop',
  amountMonthly: 100,
  scopeKind: 'workspace' as const,
  scopeValue: '7',
  thresholdPct: 80,
  overBudget: 'warn' as const,
}
/** As the form has it: the number of a workspace or account is one. */
const shown = { ...was, scopeValue: 7 }

describe('what the form of a budget changes', () => {
  test.each([
    ['nothing', {}, {}],
    ['its amount, and no guard that another person set', { amountMonthly: 120 }],
    ['its guard alone', { overBudget: 'approve' as const }],
    ['its name and warning', { name: 'web shop', thresholdPct: 90 }],
    [
      'what of a kind it is about, which is sent with the kind',
      { scopeValue: 8 },
      { scopeKind: 'workspace', scopeValue: 8 },
    ],
    [
      'the kind, which is sent with what of that kind',
      { scopeKind: 'account' as const },
      { scopeKind: 'account', scopeValue: 7 },
    ],
    ['to one of everything', { scopeKind: 'all' as const, scopeValue: null }],
  ])('%s', (...[, typed, sent = typed]) => {
    expect(budgetChange({ ...shown, ...typed }, was)).toEqual(sent)
  })

  test('no guard, for a person who may not set one', () => {
    const { overBudget: _, ...typed } = shown
    expect(budgetChange({ ...typed, name: 'other' }, was)).toEqual({ name: 'other' })
  })

  test('nothing of one of everything', () => {
    const all = { ...was, scopeKind: 'all' as const, scopeValue: null }
    expect(budgetChange(all, all)).toEqual({})
  })
})
