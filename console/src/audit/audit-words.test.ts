import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventWords, outcomeWords, sentenceOf, sentenceOfEntry } from './audit-words.ts'

const root = join(import.meta.dirname, '../../..')

test('each event of the audit log has a sentence', () => {
  const events = new Set<string>()
  for (const path of globSync('{domain,app,api,activities,store,worker}/**/*.ts', { cwd: root })) {
    if (path.endsWith('.test.ts')) continue
    const text = readFileSync(join(root, path), 'utf8')
    for (const [, event = ''] of text.matchAll(
      /(?:record\(\s*|event: |\? |: )'((?:agent|auth|org|saml|scim|cloud|finops|git|notification|policy|pipeline|workspace)\.[a-z_]+)'/g,
    ))
      events.add(event)
  }
  expect(events.size).toBeGreaterThan(90)
  expect([...events].filter((event) => !(event in eventWords))).toEqual([])
})

test('an event without a sentence is named by its code', () => {
  expect(sentenceOf('robot.arm_moved')).toEqual({ before: 'robot arm moved ', after: '' })
  expect(sentenceOf('auth.login')).toEqual({ before: 'signed in' })
  expect(sentenceOf('pipeline.run_failed')).toEqual({ before: 'ended ', after: ' as failed' })
})

describe('an attempt to sign in that failed', () => {
  const entry = {
    event: 'auth.login_failed',
    outcome: 'failure' as const,
    actor: { label: 'sign-in' },
    target: { label: 'ada@northwind.example' },
    detail: {},
  }

  test('was made by somebody, as an address', () => {
    expect(sentenceOfEntry(entry)).toEqual({
      who: 'Somebody',
      before: 'failed to sign in as ',
      after: '',
    })
    expect(sentenceOfEntry({ ...entry, target: null })).toEqual({
      who: 'Somebody',
      before: 'failed to sign in',
    })
  })

  test('is not said to have failed twice, and its count stays', () => {
    expect(outcomeWords(entry)).toBeUndefined()
    expect(outcomeWords({ ...entry, count: 3 })).toBe('× 3')
  })
})

describe('a run that ended', () => {
  const entry = {
    event: 'pipeline.run_failed',
    outcome: 'failure' as const,
    actor: { label: 'ada' },
    target: { label: 'shop' },
    detail: { workspaceId: 1, reason: 'rejected' },
  }

  test('because it was rejected has not failed', () => {
    expect(sentenceOfEntry(entry)).toEqual({ who: 'ada', before: 'ended ', after: ' as rejected' })
    expect(outcomeWords(entry)).toBeUndefined()
  })

  test('for another reason has failed', () => {
    const failed = { ...entry, detail: { reason: 'apply_errored' } }
    expect(sentenceOfEntry(failed)).toEqual({ who: 'ada', before: 'ended ', after: ' as failed' })
    expect(outcomeWords(failed)).toBe('failed')
    expect(outcomeWords({ ...failed, outcome: 'denied', count: 2 })).toBe('refused × 2')
    expect(outcomeWords({ ...failed, outcome: 'success' })).toBeUndefined()
  })
})
