import { describe, expect, test } from 'vitest'
import { unitChange } from './unit-change.ts'

const was = { name: 'Orders', unit: 'order', scopeKind: 'workspace' as const, scopeValue: '7' }
/** As the form has it: the number of a workspace or account is one. */
const shown = { ...was, scopeValue: 7 }

describe('what the form of a unit changes', () => {
  test.each([
    ['nothing', {}],
    ['its name, and no scope that another person set', { name: 'Web orders' }],
    ['what one of it is called', { unit: 'web order' }],
  ])('%s', (_, typed) => {
    expect(unitChange({ ...shown, ...typed }, was)).toEqual(typed)
  })

  test('what it is about, the kind and what of that kind together', () => {
    expect(unitChange({ ...shown, scopeValue: 8 }, was)).toEqual({
      scopeKind: 'workspace',
      scopeValue: 8,
    })
    expect(unitChange({ ...shown, scopeKind: 'all', scopeValue: null }, was)).toEqual({
      scopeKind: 'all',
      scopeValue: null,
    })
  })
})
