import { expect, test } from 'vitest'
import { driversOfAccounts, type Driver } from './drivers-of-accounts.ts'

const sku: Driver = { dimension: 'sku', value: 'a', amount: 50, share: 1 }

test('of one series its drivers are as they were', () => {
  expect(
    driversOfAccounts([sku], { subAccountId: '1', impact: 50 }, { children: [], whole: 50 }),
  ).toEqual([sku])
})

test('sub-accounts by their own excess, and the drivers of the dearest as shares of the whole', () => {
  const children = [
    { subAccountId: '2', impact: 30 },
    { subAccountId: null, impact: 15 },
    { subAccountId: '3', impact: 5 },
    { subAccountId: '4', impact: -1 },
    { subAccountId: '5', impact: 1 },
  ]
  const own = { subAccountId: '1', impact: 50 }
  // The dearest children alone are given: one more costs 100 in all.
  expect(driversOfAccounts([sku], own, { children, whole: 200 })[0]?.share).toBe(0.25)
  expect(driversOfAccounts([sku], own, { children, whole: 100 })).toEqual([
    { dimension: 'subAccount', value: '1', amount: 50, share: 0.5 },
    { dimension: 'subAccount', value: '2', amount: 30, share: 0.3 },
    { dimension: 'subAccount', value: '3', amount: 5, share: 0.05 },
    { ...sku, share: 0.5 },
  ])
})
