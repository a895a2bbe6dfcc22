import { expect, test } from 'vitest'
import { applyPatch } from './apply-patch.ts'
import { patchOperations } from './patch-operations.ts'
import { userSchema } from './schemas.ts'

const additions = (operations: number, each: number) =>
  Array.from({ length: operations }, (_, at) => ({
    op: 'add',
    path: 'emails',
    value: Array.from({ length: each }, (_element, nth) => ({ value: `${at}-${nth}@a.test` })),
  }))
const patch = (Operations: object[]) =>
  applyPatch(
    userSchema,
    { userName: 'ada', active: true },
    { operations: patchOperations({ Operations }), id: 'x' },
  )

test('100 values of a kind, however they are added', () => {
  expect(patch(additions(2, 50))['emails']).toHaveLength(100)
  expect(() => patch(additions(2, 51))).toThrow('emails has at most 100 values')
})

test('operations that would hold everybody else up are refused at once', () => {
  const began = performance.now()
  expect(() => patch(additions(250, 100))).toThrow('At most 200 operations')
  expect(() => patch(additions(200, 100))).toThrow('at most 100 values')
  expect(performance.now() - began).toBeLessThan(1_000)
})

test('an operation without a path counts as those that it stands for', () => {
  const casings = Array.from({ length: 201 }, (_, at) => [
    Array.from('nickname', (letter, n) => ((at >> n) & 1 ? letter.toUpperCase() : letter)).join(''),
    'x',
  ])
  const value = Object.fromEntries(casings)
  expect(Object.keys(value)).toHaveLength(201)
  expect(() => patch([{ op: 'add', value }])).toThrow('At most 200 operations')
})
