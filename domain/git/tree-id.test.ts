import { expect, test } from 'vitest'
import { blobId } from './blob-id.ts'
import { treeId } from './tree-id.ts'

const id = (files: Record<string, string>) =>
  treeId(new Map(Object.entries(files).map(([path, content]) => [path, blobId(content)])))

// Written by `git write-tree` over the same files.
test('a folder’s id is git’s own, whatever the order of its names', () => {
  expect(id({})).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
  const files = { 'a.tf': '# a\n', 'a/b.tf': '# b\n', 'a-b': 'x', 'ü/c/d.tf': '# d\n' }
  expect(id(files)).toBe('5b5cd98a6183748474451c89fefe9b3dcc1dcf9a')
  expect(id(Object.fromEntries(Object.entries(files).toReversed()))).toBe(id(files))
})

test('one changed letter is another folder', () => {
  expect(id({ 'a/b.tf': '# b\n' })).not.toBe(id({ 'a/b.tf': '# B\n' }))
  expect(id({ 'a/b.tf': '# b\n' })).not.toBe(id({ 'a/c.tf': '# b\n' }))
})
