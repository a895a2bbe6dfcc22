import { applyPatch } from 'diff'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { diffsWithin, unifiedDiff } from './unified-diff.ts'

const lines = (count: number, changed: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, at) => `${changed[at] ?? `line ${at}`}\n`).join('')

describe('a difference of two sides', () => {
  test('is what diff -u writes: three lines around each change', () => {
    expect(unifiedDiff('m/a.tf', lines(20), lines(20, { 9: 'edited' }))).toBe(`--- a/m/a.tf
+++ b/m/a.tf
@@ -7,7 +7,7 @@
 line 6
 line 7
 line 8
-line 9
+edited
 line 10
 line 11
 line 12
`)
  })

  test('of a file that is not there on one side names /dev/null', () => {
    expect(unifiedDiff('a.tf', '# a\n', null)).toBe(
      '--- a/a.tf\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-# a\n',
    )
    expect(unifiedDiff('a.tf', null, '# a')).toBe(
      '--- /dev/null\n+++ b/a.tf\n@@ -0,0 +1,1 @@\n+# a\n\\ No newline at end of file\n',
    )
  })

  test.each([
    [lines(40), lines(40, { 0: 'x', 1: 'y', 39: 'z' })],
    ['a\nb', 'a\nb\n'],
    ['ü\r\n', 'ü\n'],
    [lines(5), `${lines(3)}new\n${lines(5)}`],
  ])('makes of the one what the other is', (ours, theirs) => {
    expect(applyPatch(ours, unifiedDiff('a.tf', ours, theirs) ?? '')).toBe(theirs)
  })

  test('several share their time: past it nothing is searched for, and what one side has is shown', () => {
    // Each comparison takes 15 ms.
    let nowMs = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 15))
    onTestFinished(() => clock.mockRestore())
    const compare = diffsWithin(40)
    const diffs = Array.from({ length: 5 }, (_, at) => compare(`${at}.tf`, 'a\n', 'b\n'))
    expect(diffs.map((diff) => diff !== null)).toEqual([true, true, true, false, false])
    expect(compare('new.tf', null, 'b\n')).toContain('+b')
  })

  test('that is too large or too far apart is none, soon', () => {
    expect(unifiedDiff('a.tf', 'a'.repeat(300_000), 'b')).toBeNull()
    const since = performance.now()
    const far = (word: string) =>
      Array.from({ length: 30_000 }, (_, at) => `${word}${at}\n`).join('')
    expect(unifiedDiff('a.tf', far('a'), far('b'))).toBeNull()
    expect(performance.now() - since).toBeLessThan(2_000)
  })
})
