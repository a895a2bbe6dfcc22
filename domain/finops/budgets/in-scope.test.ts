import { expect, test } from 'vitest'
import type { CostScope } from '../cost-scope.ts'
import { reachQuestion } from './in-scope.ts'

const workspace = { id: 7, cloudAccountId: 3, accountNumber: '123456789012', accountHasBill: true }
const ask = (
  scopeKind: CostScope['scopeKind'],
  scopeValue: string | null,
  own = workspace as object,
) =>
  reachQuestion(
    { id: 1, scopeKind, scopeValue },
    { workspace: { ...workspace, ...own }, tagKey: 'team', tagAliases: { team: ['Team'] } },
  )
const exact = { budgetId: 1, sum: 'exact' }
const rises = { budgetId: 1, sum: 'rises' }

test('all, and the workspace itself', () => {
  expect(ask('all', null)).toEqual(exact)
  expect(ask('workspace', '7')).toEqual(exact)
  expect(ask('workspace', '8')).toBe(undefined)
})

test('an account: its workspaces, and those that name none', () => {
  expect(ask('account', '3')).toEqual(exact)
  expect(ask('account', '4')).toBe(undefined)
  // Another account pays for it, and that may be account 4.
  expect(ask('account', '4', { accountHasBill: false })).toEqual(rises)
  expect(ask('account', '4', { cloudAccountId: null, accountNumber: null })).toEqual(rises)
})

test('a sub-account: the account itself, or one that has accounts below it', () => {
  expect(ask('subAccount', '123456789012')).toEqual(exact)
  expect(ask('subAccount', '222222222222')).toBe(undefined)
  const short = { accountNumber: '012345678901' }
  expect(ask('subAccount', '12345678901', short)).toEqual(exact)
  const azure = { accountNumber: '1b2c3d4e-0000-4000-8000-000000000001' }
  expect(ask('subAccount', `/subscriptions/${azure.accountNumber.toUpperCase()}`, azure)).toEqual(
    exact,
  )
  expect(ask('subAccount', 'x', { accountNumber: 'managementGroups/all' })).toEqual(rises)
  expect(ask('subAccount', 'x', { cloudAccountId: null, accountNumber: null })).toEqual(rises)
})

test('a provider by its own name or the bill’s; a service may be any', () => {
  expect(ask('provider', 'Amazon Web Services')).toEqual({ ...exact, provider: 'aws' })
  expect(ask('provider', 'GCP')).toEqual({ ...exact, provider: 'gcp' })
  expect(ask('provider', 'Snowflake')).toEqual(rises)
  expect(ask('service', 'Amazon EC2')).toEqual(rises)
})

test('a tag, split at its first =', () => {
  expect(ask('tag', 'team=a=b')).toEqual({
    ...exact,
    tag: { keys: ['team', 'Team'], value: 'a=b' },
  })
  expect(ask('tag', 'untagged')).toEqual({ ...exact, tag: { keys: ['team', 'Team'], value: null } })
})
