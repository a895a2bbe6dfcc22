import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventWords, sentenceOf } from './audit-words.ts'

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
