import { describe, expect, test } from 'vitest'
import create from './fixtures/create.json' with { type: 'json' }
import destroy from './fixtures/destroy.json' with { type: 'json' }
import noOp from './fixtures/no-op.json' with { type: 'json' }
import outputsOnly from './fixtures/outputs-only.json' with { type: 'json' }
import replace from './fixtures/replace.json' with { type: 'json' }
import { summarizePlan } from './summarize-plan.ts'
import { testPlan, type TestChange } from './test-plan.ts'

const none = {
  add: 0,
  change: 0,
  destroy: 0,
  replace: 0,
  import: 0,
  forget: 0,
  move: 0,
  outputs: 0,
  noChanges: false,
}

describe('summarizePlan of what OpenTofu printed', () => {
  test.each([
    ['6 to add, 0 to change, 0 to destroy', create, { add: 6, outputs: 3 }],
    [
      '2 to add, 2 to change, 3 to destroy',
      replace,
      { add: 2, change: 2, destroy: 3, replace: 1, outputs: 2 },
    ],
    ['0 to add, 0 to change, 6 to destroy', destroy, { destroy: 6, outputs: 3 }],
    ['no changes', noOp, { noChanges: true }],
    ['only a new output', outputsOnly, { outputs: 1, noChanges: false }],
  ])('%s', (_, plan, expected) => {
    expect(summarizePlan(plan)).toEqual({ ...none, ...expected })
  })
})

describe('summarizePlan', () => {
  const both = { before: { a: 1 }, after: { a: 2 } }
  const cases: [string, TestChange, object][] = [
    [
      'create before delete is a replacement',
      { actions: ['create', 'delete'], ...both },
      { add: 1, destroy: 1, replace: 1 },
    ],
    [
      'a read is not counted, yet something to do',
      { address: 'data.x', mode: 'data', actions: ['read'] },
      {},
    ],
    ['a forgotten object is not destroyed', { actions: ['forget'], ...both }, { forget: 1 }],
    ['forgotten and made anew', { actions: ['forget', 'create'], ...both }, { add: 1, forget: 1 }],
    [
      'a move alone is something to do',
      { actions: ['no-op'], ...both, fields: { previous_address: 'aws_instance.old' } },
      { move: 1 },
    ],
    [
      'an import alone is something to do',
      { actions: ['no-op'], ...both, changeFields: { importing: { id: 'i-1' } } },
      { import: 1 },
    ],
    [
      'a deposed object is destroyed',
      { actions: ['delete'], ...both, fields: { deposed: 'abcd1234' } },
      { destroy: 1 },
    ],
    [
      'an ephemeral resource is nothing to do',
      { mode: 'ephemeral', actions: ['open'] },
      { noChanges: true },
    ],
    ['a no-op', { actions: ['no-op'], ...both }, { noChanges: true }],
  ]
  test.each(cases)('%s', (_, change, expected) => {
    expect(summarizePlan(testPlan([change]))).toEqual({ ...none, ...expected })
  })

  test('an empty configuration has no changes', () => {
    expect(summarizePlan(testPlan([]))).toEqual({ ...none, noChanges: true })
  })
})
