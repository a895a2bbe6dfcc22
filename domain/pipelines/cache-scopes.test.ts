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
  ['a commit', { branch: null, tag: null }, 'main'],
  ['any branch where the own one is unknown', { branch: 'main', tag: null }, null],
])('%s reads the protected ones and never writes them', (_, run, own) => {
  expect(cacheScopes(run, own)).toEqual({ read: ['other', 'protected'], write: 'other' })
})

test('a tag reads nothing that another branch made, and writes nothing', () => {
  expect(cacheScopes({ branch: null, tag: 'v1' }, 'main')).toEqual({
    read: ['protected'],
    write: null,
  })
})
