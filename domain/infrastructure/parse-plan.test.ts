import { describe, expect, test } from 'vitest'
import { parsePlan, PlanFormatError } from './parse-plan.ts'
import { testPlan } from './test-plan.ts'

describe('parsePlan', () => {
  const plan = (fields: Record<string, unknown>) => testPlan([], fields)
  const both = { before: {}, after: {} }
  test.each([
    ['null', null],
    ['a text', 'No changes.'],
    ['a list', []],
    ['an empty object', {}],
    ['a state', { format_version: '1.0', values: {} }],
    ['another major version', plan({ format_version: '2.0' })],
    ['a planning that failed', plan({ errored: true })],
    ['no planned values', plan({ planned_values: undefined })],
    ['no configuration', plan({ configuration: null })],
    ['resource changes that are no list', plan({ resource_changes: {} })],
    ['a change that is none', plan({ resource_changes: [null] })],
    ['output changes that are a list', plan({ output_changes: [] })],
    ['an unknown action', testPlan([{ actions: ['destroy'], ...both }])],
    ['an unknown pair', testPlan([{ actions: ['update', 'delete'], ...both }])],
    ['no actions', testPlan([{ actions: [], ...both }])],
    ['an unknown mode', testPlan([{ actions: ['create'], ...both, mode: 'managd' }])],
    ['no address', testPlan([{ actions: ['create'], ...both, fields: { address: '' } }])],
    ['a NUL in an address', testPlan([{ actions: ['create'], ...both, address: 'a.b["\0"]' }])],
    ['no type', testPlan([{ actions: ['create'], ...both, fields: { type: 7 } }])],
    ['a create that lost its values', testPlan([{ actions: ['create'] }])],
    ['a delete of nothing', testPlan([{ actions: ['delete'] }])],
    ['a replacement with one side', testPlan([{ actions: ['delete', 'create'], after: {} }])],
    [
      'an import that is no object',
      testPlan([{ actions: ['no-op'], ...both, changeFields: { importing: 'i-1' } }]),
    ],
  ])('refuses %s', (_, document) => {
    expect(() => parsePlan(document)).toThrow(PlanFormatError)
  })

  test('its message names the place and no value', () => {
    const broken = testPlan([{ actions: ['create'], after: 'hunter2-secret' }])
    expect(() => parsePlan(broken)).toThrow(
      'The plan cannot be read: resource_changes[0].change.after is missing.',
    )
  })
})
