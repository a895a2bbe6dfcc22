import { describe, expect, test } from 'vitest'
import { maskSecrets } from '../pipelines/mask-secrets.ts'
import create from './fixtures/create.json' with { type: 'json' }
import destroy from './fixtures/destroy.json' with { type: 'json' }
import noOp from './fixtures/no-op.json' with { type: 'json' }
import replace from './fixtures/replace.json' with { type: 'json' }
import { secretTexts } from './known-secrets.ts'
import { parsePlan } from './parse-plan.ts'

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
