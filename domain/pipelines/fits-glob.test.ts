import { describe, expect, test } from 'vitest'
import { fits, fitsGlob, namesOf, parseGlob } from './fits-glob.ts'

describe('fitsGlob', () => {
  test.each([
    ['src/**', 'src/a.ts'],
    ['src/**', 'src/deep/er/a.ts'],
    ['src', 'src/deep/a.ts'],
    ['**', 'a'],
    ['**/*.txt', 'README.txt'],
    ['**/*.txt', 'pages/deep/a.txt'],
    ['pages/**/a.txt', 'pages/a.txt'],
    ['pages/**/a.txt', 'pages/x/y/a.txt'],
    ['*.lock', 'yarn.lock'],
    ['file?.txt', 'file1.txt'],
    ['./src/', 'src/a.ts'],
    ['v*', 'v1.2.3'],
    ['v*.*', 'v1.2.3'],
    ['release/*', 'release/1'],
    ['a+(b)[c].txt', 'a+(b)[c].txt'],
    ['日本*', '日本語'],
    ['?', '😀'],
    ['**/**/a/**/**/b', 'x/a/b'],
    ['**/a/b', 'a/a/b'],
    ['***/a', 'x/y/a'],
    ['a/**/b/**/b', 'a/x/b/b'],
    ['a//./b', 'a/b'],
    ['', ''],
    ['.', 'a'],
  ])('%s fits %s', (pattern, path) => {
    expect(fitsGlob(pattern, path)).toBe(true)
  })

  test.each([
    ['src/**', 'src'],
    ['src/**', 'srcs/a.ts'],
    ['src/*', 'lib/a.ts'],
    ['*.txt', 'pages/a.txt'],
    ['**/*.txt', 'a.txtx'],
    ['file?.txt', 'file12.txt'],
    ['file?.txt', 'file.txt'],
    ['v*', 'rv1'],
    ['release/*', 'release'],
    ['a.c', 'abc'],
    ['pages/**/a.txt', 'page/a.txt'],
    ['**', ''],
    ['**/**', ''],
    ['a/**/**', 'a'],
    ['a/**/b/**/b', 'a/x/b'],
    ['b/**', 'a/b/c'],
    ['a/b', 'a'],
  ])('%s does not fit %s', (pattern, path) => {
    expect(fitsGlob(pattern, path)).toBe(false)
  })

  test('hostile patterns take no exponential time', () => {
    const deep = `${'**/'.repeat(60)}x`
    const stars = `${'*a'.repeat(90)}b`
    const before = performance.now()
    expect(fitsGlob(deep, `${'a/'.repeat(200)}y`)).toBe(false)
    expect(fitsGlob(stars, 'a'.repeat(4_000))).toBe(false)
    expect(performance.now() - before).toBeLessThan(500)
  })

  test('the steps of a pattern of 160 characters and a tag of 253 are few', () => {
    const tag = namesOf(`${'a/'.repeat(126)}b`)
    for (const [pattern, most] of [
      [`${'**/*/'.repeat(31)}z`, 2_000],
      [`${'**/'.repeat(52)}z`, 2_000],
      [`${'**/a/'.repeat(31)}z`, 2_000],
      [`**/${'a/'.repeat(77)}z`, 160 * 253],
      [`${'*/'.repeat(79)}z`, 2_000],
    ] as const) {
      const tally = { steps: 0 }
      expect(fits(parseGlob(pattern), tag, tally)).toBe(false)
      expect(tally.steps, pattern).toBeLessThan(most)
    }
  })

  test('it says of random patterns and paths what their definition says', () => {
    const parts = [
      '**',
      '**',
      '***',
      '*',
      '?',
      'a',
      'b',
      'ab',
      'a*',
      '*a',
      'a?',
      '*a*',
      'a*b',
      '.',
      '',
    ]
    const names = ['a', 'b', 'ab', 'aa', 'ba', 'aab', '*', '.', '']
    const random = numbersFrom(1)
    const joined = (of: string[], most: number) =>
      Array.from({ length: random() % most }, () => of[random() % of.length]).join('/')
    let fitting = 0
    for (let tries = 0; tries < 20_000; tries += 1) {
      const [pattern, path] = [joined(parts, 7), joined(names, 7)]
      const expected = isDefinedToFit(pattern, path)
      if (fitsGlob(pattern, path) !== expected) expect.fail(`'${pattern}', '${path}': ${expected}`)
      if (expected) fitting += 1
    }
    expect(fitting).toBeGreaterThan(2_000)
    expect(fitting).toBeLessThan(18_000)
  })
})

/** Tries each number of folders for each `**`, in exponential time. */
function isDefinedToFit(pattern: string, path: string): boolean {
  const fitsFrom = ([part, ...parts]: string[], left: string[]): boolean => {
    if (part === undefined) return true
    if (!/^\*\*+$/.test(part))
      return left[0] !== undefined && nameOf(part).test(left[0]) && fitsFrom(parts, left.slice(1))
    if (parts.length === 0) return left.length > 0
    return [...left, ''].some((_, folders) => fitsFrom(parts, left.slice(folders)))
  }
  const nameOf = (part: string) =>
    new RegExp(`^${part.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'u')
  return fitsFrom(
    pattern.split('/').filter((part) => part !== '' && part !== '.'),
    path.split('/').filter((name) => name !== ''),
  )
}

/** The same numbers in each run. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
