import { expect, test } from 'vitest'
import { changesBetween } from './changes-between.ts'

const mapOf = (files: Record<string, string>) => new Map(Object.entries(files))

test('added, modified and removed files; what is the same is not told', () => {
  const before = mapOf({ same: '1', modified: '1', removed: '1' })
  const after = mapOf({ same: '1', modified: '2', added: '1' })
  const work = changesBetween(before, after)
  expect(work.next()).toEqual({
    done: true,
    value: [
      { path: 'modified', change: 'modified' },
      { path: 'added', change: 'added' },
      { path: 'removed', change: 'removed' },
    ],
  })
})

test('of 100,000 files, others have their turn after each 5,000', () => {
  const files = new Map(Array.from({ length: 50_000 }, (_, at) => [`f${at}`, '1'] as const))
  const work = changesBetween(files, new Map([...files.keys()].map((path) => [path, '2'])))
  let turns = 0
  let part = work.next()
  for (; !part.done; part = work.next()) turns += 1
  expect([turns, part.value.length]).toEqual([20, 50_000])
})
