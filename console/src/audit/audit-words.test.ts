import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventWords, outcomeWords, sentenceOf, sentenceOfEntry } from './audit-words.ts'

const root = join(import.meta.dirname, '../../..')

test('each event of the audit log has a sentence', () => {
  const texts = globSync('{domain,app,api,activities,store,worker}/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(root, path), 'utf8'))
  const found = (pattern: RegExp) =>
    new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, match = '']) => match)))
  const areas = found(/record(?:Each)?\(\s*'([a-z]+)\.[a-z_]+'/g)
  expect(areas.size).toBeGreaterThan(10)
  const events = found(
    new RegExp(
      `(?:record(?:Each)?\\(\\s*|event: |\\? |: )'((?:${[...areas].join('|')})\\.[a-z_]+)'`,
      'g',
    ),
  )
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
