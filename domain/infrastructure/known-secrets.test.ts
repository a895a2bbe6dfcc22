import { describe, expect, test } from 'vitest'
import { maskSecrets } from '../runs/mask-secrets.ts'
import create from './fixtures/create.json' with { type: 'json' }
import destroy from './fixtures/destroy.json' with { type: 'json' }
import noOp from './fixtures/no-op.json' with { type: 'json' }
import replace from './fixtures/replace.json' with { type: 'json' }
import { knownSecrets, secretTexts } from './known-secrets.ts'
import { parsePlan } from './parse-plan.ts'
import { testPlan } from './test-plan.ts'

// What a policy says that prints the whole plan.
describe('a mask of the known secrets over a whole plan', () => {
  test.each(Object.entries({ create, replace, destroy, noOp }))('%s', (_, plan) => {
    const mask = maskSecrets(secretTexts(parsePlan(plan)))
    expect(JSON.stringify(plan)).toContain('hunter2-secret')
    const once = mask(JSON.stringify(plan))
    const twice = mask(JSON.stringify(JSON.stringify(plan)))
    for (const said of [once, twice])
      for (const secret of ['hunter2-secret', 'literal-password-1', 'default-secret-2'])
        expect(said).not.toContain(secret)
  })
})

test('values that the workspace keeps as sensitive are found in every form, also without a mark', () => {
  const secret = 'correct-"horse"/battery'
  const plan = parsePlan(testPlan([]))
  const secrets = knownSecrets(plan, { secretValues: [secret, '471147114711'] })
  const forms = [
    secret,
    JSON.stringify({ password: secret }),
    encodeURIComponent(secret),
    Buffer.from(`user:${secret}`).toString('base64'),
  ]
  for (const form of forms) {
    const covered = secrets.cover(`x ${form}`, () => '(sensitive value)')
    expect(covered).toContain('(sensitive value)')
    expect(covered).not.toMatch(/horse|battery/)
  }
  expect(secrets.has(471_147_114_711)).toBe(true)
  expect(knownSecrets(plan).cover(secret, () => '')).toBe(secret)
})
