import { expect, test } from 'vitest'
import { changedAliases } from './changed-aliases.ts'

test.each([
  ['none', { before: {}, after: {} }, []],
  ['the same', { before: { team: ['Team'] }, after: { team: ['Team'] } }, []],
  ['one more', { before: {}, after: { team: ['Team', 'squad'] } }, ['team', 'Team', 'squad']],
  [
    'one fewer',
    { before: { team: ['Team'], env: ['Env'] }, after: { env: ['Env'] } },
    ['team', 'Team'],
  ],
  [
    'another order',
    { before: { team: ['a', 'b'] }, after: { team: ['b', 'a'] } },
    ['team', 'a', 'b'],
  ],
  ['a name that objects have', { before: {}, after: { constructor: ['c'] } }, ['constructor', 'c']],
])('the keys that a change of aliases is about: %s', (_, { before, after }, keys) => {
  expect(changedAliases(before, after)).toEqual(keys)
})
