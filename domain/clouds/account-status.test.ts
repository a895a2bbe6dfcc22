import { expect, test } from 'vitest'
import {
  missingOf,
  nextValidationMs,
  sentenceOf,
  statusAfter,
  type StatusFinding,
  type Validated,
} from './account-status.ts'
import type { AccountCheck } from './cloud-account.ts'

const healthy: StatusFinding = {
  status: 'healthy',
  statusReason: null,
  checks: [],
  failedTries: 0,
  lateTries: 0,
}
const check = (more: Partial<AccountCheck> = {}): AccountCheck => ({
  part: 'inventory',
  state: 'ok',
  reason: null,
  missing: [],
  ...more,
})
const unreachable: Validated = { checks: [], outcome: 'unreachable', reason: null }

test('a cloud that does not answer is unreachable at the third try, and what was known stays', () => {
  const known = { ...healthy, checks: [check()] }
  const first = statusAfter(known, unreachable)
  const second = statusAfter(first, unreachable)
  const third = statusAfter(second, unreachable)
  expect([first, second, third].map(({ status }) => status)).toEqual([
    'healthy',
    'healthy',
    'unreachable',
  ])
  expect(third.checks).toEqual([check()])
  const again = statusAfter(third, { checks: [check()], outcome: 'answered', reason: null })
  expect(again).toEqual({ ...healthy, checks: [check()] })
})

test('a finding has what a validation finds, and nothing else of the account', () => {
  const account = { ...healthy, id: 7, version: 3 }
  expect(statusAfter(account, unreachable)).toEqual({ ...healthy, failedTries: 1 })
})

test('each missing right is named once', () => {
  const missing = ['tag:GetResources', 'ec2:DescribeRegions']
  const checks = [check({ state: 'missing', missing }), check({ part: 'runs', missing })]
  expect(missingOf(checks)).toEqual(missing)
  expect(checks.map(sentenceOf)).toEqual([
    'Listing resources needs tag:GetResources, ec2:DescribeRegions.',
    'Lending credentials to runs needs tag:GetResources, ec2:DescribeRegions.',
  ])
})

test('what is off degrades nothing; what is missing or failed does, and is named', () => {
  const answered = (checks: AccountCheck[]) =>
    statusAfter(healthy, { checks, outcome: 'answered', reason: null })
  expect(answered([check(), check({ part: 'billing', state: 'off' })]).status).toBe('healthy')
  const short = answered([
    check({ state: 'missing', missing: ['tag:GetResources'] }),
    check({ part: 'billing', state: 'failed', reason: 'There is no such bucket.' }),
  ])
  expect(short).toMatchObject({
    status: 'degraded',
    statusReason:
      'Listing resources needs tag:GetResources. Reading bills: There is no such bucket.',
  })
})

test('rejected credentials are tried seldom, a cloud that did not answer soon', () => {
  const rejected = statusAfter(healthy, { checks: [], outcome: 'rejected', reason: 'Wrong key.' })
  expect(rejected).toMatchObject({ status: 'invalid_credentials', statusReason: 'Wrong key.' })
  expect(nextValidationMs(rejected, 60)).toBe(6 * 3_600_000)
  expect(nextValidationMs(statusAfter(healthy, unreachable), 60)).toBe(20_000)
  expect(nextValidationMs(healthy, 60)).toBe(3_600_000)
})

test('a part that is throttled keeps its check; beside a missing right of a new account it is told', () => {
  const throttled = check({ part: 'billing', state: 'failed', reason: 'Called too often.' })
  const denied = check({ state: 'missing', missing: ['tag:GetResources'] })
  const unanswered = { billing: 'throttled' } as const
  const after = (before: StatusFinding, checks: AccountCheck[]) =>
    statusAfter(before, { checks, outcome: 'answered', reason: null, unanswered })
  const known = { ...healthy, checks: [check(), check({ part: 'billing' })] }
  expect(after(known, [check(), throttled])).toEqual(known)
  expect(after(known, [denied, throttled])).toMatchObject({
    status: 'degraded',
    checks: [denied, check({ part: 'billing' })],
  })
  const fresh = { ...healthy, status: 'pending' as const }
  expect(after(fresh, [check(), throttled])).toEqual(fresh)
  expect(after(fresh, [denied, throttled])).toMatchObject({ checks: [denied, throttled] })
  expect(nextValidationMs(healthy, 60, unanswered)).toBe(60_000)
  const rejected = { status: 'invalid_credentials', failedTries: 0, lateTries: 0 } as const
  expect(nextValidationMs(rejected, 60, unanswered)).toBe(6 * 3_600_000)
})

test('an answer that was late counts towards no unreachable cloud, and one that was never given towards no late part', () => {
  const known = { ...healthy, checks: [check()] }
  const late = {
    checks: [check({ state: 'failed', reason: 'It did not answer in time.' })],
    outcome: 'answered',
    reason: null,
    unanswered: { inventory: 'late' },
  } as const satisfies Validated
  const [once, twice] = [statusAfter(known, late), statusAfter(statusAfter(known, late), late)]
  for (const before of [once, twice]) {
    expect(before).toMatchObject({ status: 'healthy', checks: [check()] })
    expect(nextValidationMs(before, 60)).toBe(20_000)
  }
  const after = statusAfter(twice, unreachable)
  expect(after).toMatchObject({ status: 'healthy', statusReason: null, checks: [check()] })
  expect(statusAfter(after, unreachable).status).toBe('healthy')
  const gone = statusAfter(statusAfter(known, unreachable), unreachable)
  expect(statusAfter(gone, late)).toMatchObject({ status: 'healthy', checks: [check()] })
  const third = statusAfter(twice, late)
  expect(third).toMatchObject({ status: 'degraded', checks: late.checks })
  // However often, a single try that fails is none too many.
  expect(statusAfter(statusAfter(third, late), unreachable).status).toBe('degraded')
  expect(nextValidationMs(third, 60)).toBe(3_600_000)
})
