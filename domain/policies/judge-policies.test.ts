import { describe, expect, test } from 'vitest'
import { judgePolicies, type Enforcement, type PolicyResult } from './judge-policies.ts'

const result = (enforcement: Enforcement, said: Partial<PolicyResult>): PolicyResult => ({
  policyId: 7,
  name: 'no-public-buckets',
  enforcement,
  deny: [],
  warn: [],
  ...said,
})

describe('judgePolicies', () => {
  test.each<[string, PolicyResult[], string]>([
    ['no policy', [], 'pass'],
    ['nothing said', [result('mandatory', {}), result('advisory', {})], 'pass'],
    ['a mandatory policy denies', [result('mandatory', { deny: ['x'] })], 'fail'],
    ['a mandatory policy warns', [result('mandatory', { warn: ['x'] })], 'warn'],
    ['a mandatory policy breaks', [result('mandatory', { error: 'x' })], 'error'],
    ['an advisory policy denies', [result('advisory', { deny: ['x'] })], 'warn'],
    ['an advisory policy breaks', [result('advisory', { error: 'x' })], 'warn'],
    [
      'one denies, one breaks',
      [result('mandatory', { error: 'x' }), result('mandatory', { deny: ['x'] })],
      'fail',
    ],
    [
      'an advisory one denies, a mandatory one breaks',
      [result('advisory', { deny: ['x'] }), result('mandatory', { error: 'x' })],
      'error',
    ],
  ])('%s', (_, results, verdict) => {
    expect(judgePolicies(results).result).toBe(verdict)
  })

  test('names the policy, its enforcement and the level of each message', () => {
    const { findings } = judgePolicies([
      result('advisory', { error: 'line 2, column 3: boom' }),
      result('mandatory', { deny: ['a', 'b'], warn: ['c'] }),
    ])
    expect(
      findings.map(({ enforcement, level, message }) => [enforcement, level, message]),
    ).toEqual([
      ['advisory', 'error', 'line 2, column 3: boom'],
      ['mandatory', 'deny', 'a'],
      ['mandatory', 'deny', 'b'],
      ['mandatory', 'warn', 'c'],
    ])
    expect(findings[0]).toMatchObject({ policyId: 7, policy: 'no-public-buckets' })
  })
})
