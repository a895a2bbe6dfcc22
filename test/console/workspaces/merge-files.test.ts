import { describe, expect, test } from 'vitest'
import { keyOf, mergedFiles, mergeFiles } from '../../../console/src/workspaces/merge-files.ts'

describe('a three-way merge of files', () => {
  const base = { 'a.tf': 'a', 'b.tf': 'b', 'c.tf': 'c' }

  test('who changed what; the same change by both is not listed', () => {
    const mine = { 'a.tf': 'mine', 'b.tf': 'b', 'c.tf': 'same', 'new.tf': 'n' }
    const theirs = { 'a.tf': 'a', 'c.tf': 'same' }
    const merges = mergeFiles(base, mine, theirs)
    expect(merges.map(({ name, kind }) => [name, kind])).toEqual([
      ['a.tf', 'mine'],
      ['b.tf', 'theirs'],
      ['new.tf', 'mine'],
    ])
    expect(mergedFiles(theirs, merges, {})).toEqual({
      'a.tf': 'mine',
      'c.tf': 'same',
      'new.tf': 'n',
    })
  })

  test('both changed one line: both stay until one decides', () => {
    const [mine, theirs] = [
      { ...base, 'a.tf': 'mine' },
      { ...base, 'a.tf': 'theirs' },
    ]
    const merges = mergeFiles(base, mine, theirs)
    expect(mergedFiles(theirs, merges, {})['a.tf']).toBe('mine\ntheirs')
    const [first] = merges
    const conflict = first?.kind === 'both' ? first.chunks[0] : undefined
    if (conflict?.kind !== 'conflict') throw new Error('no conflict')
    const decisions = { [keyOf('a.tf', conflict)]: 'theirs' } as const
    expect(mergedFiles(theirs, merges, decisions)['a.tf']).toBe('theirs')
  })

  test('one removed what the other one changed: it stays until one decides', () => {
    const { 'a.tf': _, ...without } = base
    const changed = { ...base, 'a.tf': 'changed' }
    for (const [mine, theirs, by] of [
      [without, changed, 'mine'],
      [changed, without, 'theirs'],
    ] as const) {
      const merges = mergeFiles(base, mine, theirs)
      expect(merges).toEqual([{ name: 'a.tf', kind: 'removed', by, was: 'a', text: 'changed' }])
      expect(mergedFiles(theirs, merges, {})['a.tf']).toBe('changed')
      expect(mergedFiles(theirs, merges, { 'a.tf': by })['a.tf']).toBeUndefined()
    }
  })

  test('a file that both made is merged, and a name of an object’s own is a name', () => {
    const [mine, theirs] = [{ 'x.tf': 'mine' }, { 'x.tf': 'theirs' }]
    expect(mergedFiles(theirs, mergeFiles({}, mine, theirs), {})['x.tf']).toContain('mine')
    expect(mergeFiles({}, { constructor: 'mine' }, {})).toEqual([
      { name: 'constructor', kind: 'mine', was: undefined, is: 'mine' },
    ])
  })
})
