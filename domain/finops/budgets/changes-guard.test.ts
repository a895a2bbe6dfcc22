import { describe, expect, test } from 'vitest'
import { changesGuard } from './changes-guard.ts'

const warning = {
  scopeKind: 'tag',
  scopeValue: 'team=shop',
  amountMonthly: '100',
  overBudget: 'warn',
} as const
const guarding = { ...warning, overBudget: 'approve' } as const

describe('changesGuard', () => {
  test('a budget that only warns guards nothing', () => {
    expect(changesGuard(undefined, warning)).toBe(false)
    expect(changesGuard(warning, undefined)).toBe(false)
    expect(changesGuard(warning, { ...warning, amountMonthly: '900' })).toBe(false)
  })

  test('set, deleted, or made one that only warns', () => {
    expect(changesGuard(undefined, guarding)).toBe(true)
    expect(changesGuard(warning, guarding)).toBe(true)
    expect(changesGuard(guarding, warning)).toBe(true)
    expect(changesGuard(guarding, undefined)).toBe(true)
  })

  test('weakened by a higher amount or another scope; a lower amount adds a guard', () => {
    expect(changesGuard(guarding, { ...guarding, amountMonthly: '100.000000000001' })).toBe(true)
    expect(changesGuard(guarding, { ...guarding, scopeValue: 'team=other' })).toBe(true)
    expect(changesGuard(guarding, { ...guarding, amountMonthly: '99' })).toBe(false)
    expect(changesGuard(guarding, guarding)).toBe(false)
  })
})
