import { describe, expect, test } from 'vitest'
import { showDifferences, shownBounds } from './show-differences.ts'

const file = (n: number, length: number) => ({
  path: `workspaces/w/${n}.tf`,
  ours: 'a'.repeat(length),
  theirs: 'b'.repeat(length),
})

describe('what is shown of a divergence', () => {
  test('says what was done, with both sides and their difference', () => {
    const shown = [
      ...showDifferences([
        { path: 'a', ours: 'one\n', theirs: 'two\n' },
        { path: 'b', ours: null, theirs: 'new\n' },
        { path: 'c', ours: 'old\n', theirs: null },
      ]),
    ]
    expect(shown.map(({ change, omitted }) => [change, omitted])).toEqual([
      ['edited', false],
      ['added', false],
      ['removed', false],
    ])
    expect(shown[0]).toMatchObject({ ours: 'one\n', theirs: 'two\n' })
    expect(shown[0]?.diff).toContain('-one\n+two\n')
  })

  test('names a file that is too long, and leaves its contents out', () => {
    const [shown] = showDifferences([file(1, shownBounds.fileBytes)])
    expect(shown).toEqual({
      path: 'workspaces/w/1.tf',
      change: 'edited',
      ours: null,
      theirs: null,
      diff: null,
      omitted: true,
    })
  })

  test('is bounded, whatever the files hold: 2,000 files, long ones, and characters that JSON escapes', () => {
    const many = [
      Array.from({ length: 2_000 }, (_, n) => file(n, 1_000)),
      Array.from({ length: 2_000 }, (_, n) => file(n, 10_000)),
      Array.from({ length: 100 }, (_, n) => ({ ...file(n, 0), ours: '\u0001'.repeat(4_000) })),
    ]
    for (const all of many) {
      const shown = [...showDifferences(all)]
      expect(shown).toHaveLength(Math.min(all.length, shownBounds.files))
      expect(shown.some(({ omitted }) => !omitted)).toBe(true)
      const names = shown.length * 150
      expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(shownBounds.bytes + names)
    }
  })
})
