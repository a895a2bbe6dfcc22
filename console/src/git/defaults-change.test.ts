import { expect, test } from 'vitest'
import { defaultsChange } from './defaults-change.ts'

const was = { defaultRepo: 'acme/infra', defaultBranch: 'main' }

test.each([
  ['nothing', { repo: 'acme/infra', branch: 'main' }, {}],
  ['the branch alone', { repo: ' acme/infra ', branch: 'live' }, { defaultBranch: 'live' }],
  [
    'the repository, with the branch of it',
    { repo: 'acme/live', branch: 'main' },
    { defaultRepo: 'acme/live', defaultBranch: 'main' },
  ],
  [
    'the repository, in its default branch',
    { repo: 'acme/live', branch: '' },
    { defaultRepo: 'acme/live' },
  ],
  // The service takes the default branch where a repository comes without one.
  ['to the default branch', { repo: 'acme/infra', branch: ' ' }, { defaultRepo: 'acme/infra' }],
])('the dialog of a connection changes %s', (_, typed, sent) => {
  expect(defaultsChange(typed, was)).toEqual(sent)
})

test('the first repository of a connection', () => {
  const none = { defaultRepo: null, defaultBranch: null }
  expect(defaultsChange({ repo: 'acme/infra', branch: '' }, none)).toEqual({
    defaultRepo: 'acme/infra',
  })
  expect(defaultsChange({ repo: '', branch: '' }, none)).toEqual({})
})
