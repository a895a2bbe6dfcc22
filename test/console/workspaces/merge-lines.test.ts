import { describe, expect, test } from 'vitest'
import { mergedText, mergeLines } from '../../../console/src/workspaces/merge-lines.ts'

const lines = (...all: string[]) => all.join('\n')
const merged = (
  base: string,
  mine: string,
  theirs: string,
  keep: 'mine' | 'theirs' | 'both' = 'both',
) => mergedText(mergeLines(base, mine, theirs), () => keep)
const conflicts = (base: string, mine: string, theirs: string) =>
  mergeLines(base, mine, theirs).filter(({ kind }) => kind === 'conflict')

describe('a three-way merge by lines', () => {
  test('changes that are apart are both kept, without a conflict', () => {
    const base = lines('a', 'b', 'c', 'd', 'e')
    const [mine, theirs] = [lines('A', 'b', 'c', 'd', 'e'), lines('a', 'b', 'c', 'd', 'e', 'f')]
    expect(conflicts(base, mine, theirs)).toEqual([])
    expect(merged(base, mine, theirs)).toBe(lines('A', 'b', 'c', 'd', 'e', 'f'))
  })

  test('the same change by both is made once', () => {
    const after = lines('a', 'x', 'c')
    expect(conflicts('a\nb\nc', after, after)).toEqual([])
    expect(merged('a\nb\nc', after, after)).toBe(after)
  })

  test('one line changed by both is a conflict, with all three texts', () => {
    const [base, mine, theirs] = ['a\nb\nc', 'a\nmine\nc', 'a\ntheirs\nc']
    expect(conflicts(base, mine, theirs)).toEqual([
      { kind: 'conflict', base: ['b'], mine: ['mine'], theirs: ['theirs'] },
    ])
    expect(merged(base, mine, theirs, 'mine')).toBe(mine)
    expect(merged(base, mine, theirs, 'theirs')).toBe(theirs)
    expect(merged(base, mine, theirs)).toBe('a\nmine\ntheirs\nc')
  })

  test('neighbouring lines are a conflict, and so are two inserts at one place', () => {
    expect(conflicts('a\nb', 'A\nb', 'a\nB')).toHaveLength(1)
    expect(conflicts('a\n', 'a\nmine\n', 'a\ntheirs\n')).toEqual([
      { kind: 'conflict', base: [], mine: ['mine'], theirs: ['theirs'] },
    ])
  })

  test('one removes what the other one changes', () => {
    expect(conflicts('a\nb\nc', 'a\nc', 'a\nB\nc')).toEqual([
      { kind: 'conflict', base: ['b'], mine: [], theirs: ['B'] },
    ])
  })

  test('texts that are too long to be compared are one conflict', () => {
    const long = (sign: string) =>
      Array.from({ length: 3_000 }, (_, at) => `${sign}${at}`).join('\n')
    expect(conflicts(long('a'), long('b'), long('c'))).toHaveLength(1)
  })

  test('no typed line is lost, and a side alone is reproduced: 3,000 random texts', () => {
    let seed = 11
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    const edited = (base: string[], sign: string) =>
      base.flatMap((line, at) => {
        const dice = next(6)
        if (dice === 0) return []
        if (dice === 1) return [`${sign}${at}`]
        return dice === 2 ? [line, `${sign}+${at}`] : [line]
      })
    for (let round = 0; round < 3_000; round += 1) {
      const base = Array.from({ length: next(9) }, () => 'abc'[next(3)] ?? '')
      const [mine, theirs] = [edited(base, 'm'), edited(base, 't')]
      const texts = [base.join('\n'), mine.join('\n'), theirs.join('\n')] as const
      const both = merged(...texts).split('\n')
      for (const line of [...mine, ...theirs].filter((one) => /^[mt]/.test(one)))
        expect(both).toContain(line)
      expect(merged(texts[0], texts[1], texts[0])).toBe(texts[1])
      expect(merged(texts[0], texts[0], texts[2])).toBe(texts[2])
    }
  })
})
