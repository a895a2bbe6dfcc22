import { expect, test } from 'vitest'
import { pushesBetween } from './pushes-between.ts'

const push = (before: string, after: string) => ({ before, after })
const zero = '0'.repeat(40)
const told = [push('c', 'd'), push('b', 'c'), push('a', 'b'), push(zero, 'a')]

test.each([
  ['one push', told, 'c', 'd', ['d']],
  ['several', told, 'a', 'd', ['d', 'c', 'b']],
  ['since the branch was made', told, null, 'b', ['b', 'a']],
  ['none', told, 'd', 'd', []],
  ['an older head than the newest', told, 'a', 'c', ['c', 'b']],
  ['the head is not told yet', told, 'a', 'e', null],
  ['a gap', [push('c', 'd'), push('a', 'b')], 'a', 'd', null],
  ['the range begins before what is told', [push('c', 'd')], 'a', 'd', null],
  ['nothing is told', [], 'a', 'b', null],
  [
    'a branch that was led back and forward again',
    [push('a', 'c'), push('c', 'a'), push('b', 'c'), push('a', 'b')],
    'b',
    'c',
    ['c', 'a', 'c'],
  ],
  ['deleted and made again', [push(zero, 'c'), push('b', zero)], 'b', 'c', ['c']],
] as const)('%s', (...[, pushes, from, to, expected]) => {
  const found = pushesBetween(pushes, { from, to })
  expect(found && found.map(({ after }) => after)).toEqual(expected)
})
