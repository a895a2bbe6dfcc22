import { describe, expect, test } from 'vitest'
import { regexOf, selectFiles } from '../../../gateways/artifacts/select-files.ts'

const fits = (pattern: string, path: string) =>
  new RegExp(`^(?:${regexOf(pattern)})$`, 's').test(`./${path}`)

describe('patterns of what is released', () => {
  test.each([
    ['**', ['a', 'a/b/c', '.x', 'line\nbreak'], []],
    ['.', ['a', 'a/b'], []],
    ['*.jar', ['a.jar', '.jar', 'a.jar/in'], ['lib/a.jar', 'axjar']],
    ['**/*.map', ['a.map', 'x/a.map', 'x/y/a.map'], ['a.maps', 'a.js']],
    ['.npm/**', ['.npm', '.npm/x', '.npm/x/y'], ['xnpm', 'a/.npm', '.npmrc']],
    ['node_modules', ['node_modules', 'node_modules/a/b'], ['a/node_modules', 'node_modules2']],
    ['src/**/test', ['src/test', 'src/a/b/test', 'src/test/x'], ['src/atest', 'test']],
    ['a?c', ['abc', 'a\nc'], ['ac', 'a/c']],
    ['x***y', ['xy', 'xaay'], ['x/y']],
    ['a+(b)[c]{d}^$|.\\', ['a+(b)[c]{d}^$|.\\'], ['aab']],
    ['./dist//x/', ['dist/x', 'dist/x/y'], ['dist']],
  ])('%s', (pattern, fitting, others) => {
    for (const path of fitting) expect(fits(pattern, path), path).toBe(true)
    for (const path of others) expect(fits(pattern, path), path).toBe(false)
  })

  test('each pattern is an argument of its own, for one may be no longer than 128 KiB', () => {
    const many = Array.from({ length: 100 }, () => '*'.repeat(500))
    const args = selectFiles({ include: many, exclude: many })
    expect(Math.max(...args.map((arg) => arg.length))).toBeLessThan(4_096)
    expect(selectFiles({})).toEqual([
      '-regextype',
      'posix-extended',
      '!',
      '(',
      '-regex',
      '\\./\\.git(/.*)?',
      ')',
    ])
  })
})
