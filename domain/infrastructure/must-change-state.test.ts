import { expect, test } from 'vitest'
import { mustChangeState } from './must-change-state.ts'

const none = { destroy: 0, replace: 0, update: 0, create: 0, read: 0, move: 0 }
const rest = { outputs: 1, drift: 1, omittedChanges: 0 }

test.each(['destroy', 'replace', 'create', 'move'] as const)(
  '%s must change the state',
  (action) => {
    expect(mustChangeState({ ...rest, actions: { ...none, [action]: 1 } })).toBe(true)
  },
)

test.each(['update', 'read'] as const)('%s may leave the state as it was', (action) => {
  expect(mustChangeState({ ...rest, actions: { ...none, [action]: 3 } })).toBe(false)
})

test('outputs may leave the state as it was', () => {
  expect(mustChangeState({ ...rest, actions: none })).toBe(false)
})
