import { expect, test } from 'vitest'
import { cacheScopes } from './cache-scopes.ts'

test('the own branch reads and writes its own alone', () => {
  expect(cacheScopes({ branch: 'main', tag: null }, 'main')).toEqual({
    read: ['protected'],
    write: 'protected',
  })
})

test.each([
  ['another branch', { branch: 'feature', tag: null }, 'main'],
  ['any branch where the own one is unknown', { branch: 'main', tag: null }, null],
])('%s reads the protected ones and never writes them', (_, run, own) => {
  expect(cacheScopes(run, own)).toEqual({ read: ['protected', 'other'], write: 'other' })
})

test.each([
  ['a tag', { branch: null, tag: 'v1' }, 'main'],
  ['a commit', { branch: null, tag: null }, 'main'],
  ['a commit where the own branch is unknown', { branch: null, tag: null }, null],
])('%s reads nothing that another branch made, and writes nothing', (_, run, own) => {
  expect(cacheScopes(run, own)).toEqual({
    read: ['protected'],
    write: null,
  })
})
