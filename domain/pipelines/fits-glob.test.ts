import { describe, expect, test } from 'vitest'
import { fitsAnyGlob, fitsGlob } from './fits-glob.ts'

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

  test('no pattern fits nothing', () => {
    expect(fitsAnyGlob([], 'a')).toBe(false)
    expect(fitsAnyGlob(['b', 'a'], 'a')).toBe(true)
  })
})
