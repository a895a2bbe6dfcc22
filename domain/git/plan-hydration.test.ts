import { expect, test } from 'vitest'
import { blobId } from './blob-id.ts'
import { planHydration } from './plan-hydration.ts'

const listing = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, content]) => [path, blobId(content)]))
const plan = (
  desired: Record<string, string>,
  found: Record<string, string>,
  ...written: Array<Record<string, string>>
) => planHydration(desired, { found: listing(found), written: written.map(listing) })

test('a blob’s id is git’s own', () => {
  expect(blobId('# one\n')).toBe('b8aad57f977a9415403e0a45eb71e51eb90a003b')
})

test('nothing is done twice', () => {
  expect(plan({ a: '1' }, { a: '1' }, { a: '1' })).toEqual({ write: {}, remove: [], diverged: [] })
  // The commit was taken, but the worker died before it could say so.
  expect(plan({ a: '2' }, { a: '2' }, { a: '1' })).toEqual({ write: {}, remove: [], diverged: [] })
})

test('what changed is written, what left is removed, what is not ours stays', () => {
  expect(plan({ a: '2', c: '3' }, { a: '1', b: '1', other: 'x' }, { a: '1', b: '1' })).toEqual({
    write: { a: '2', c: '3' },
    remove: ['b'],
    diverged: [],
  })
})

test('an edit, a deletion and a file in our place are somebody else’s work', () => {
  expect(plan({ a: '2' }, { a: 'edited' }, { a: '1' }).diverged).toEqual(['a'])
  expect(plan({ a: '1' }, {}, { a: '1' }).diverged).toEqual(['a'])
  expect(plan({ a: '1' }, { a: 'theirs' }).diverged).toEqual(['a'])
  expect(plan({}, { a: 'edited' }, { a: '1' }).diverged).toEqual(['a'])
  // Deleted by them, and no longer wanted by us: both want the same.
  expect(plan({}, {}, { a: '1' }).diverged).toEqual([])
})

test('a proposal that was merged meanwhile is ours', () => {
  expect(plan({ a: '3' }, { a: '2' }, { a: '1', b: '1' }, { a: '2' })).toEqual({
    write: { a: '3' },
    remove: [],
    diverged: [],
  })
})
