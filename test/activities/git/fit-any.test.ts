import { expect, test } from 'vitest'
import { fitAny } from '../../../activities/git/fit-any.ts'

test('paths of a push are compared with the patterns of a trigger', async () => {
  expect(await fitAny(['src/**', '*.md'], ['docs/a.txt', 'src/a/b.ts'])).toBe(true)
  expect(await fitAny(['src/**', '*.md'], ['docs/a.txt'])).toBe(false)
  expect(await fitAny(['src/**'], [])).toBe(false)
})

test('a path that no host takes starts a run', async () => {
  expect(await fitAny(['src/**'], [`docs/${'a'.repeat(1_020)}`])).toBe(true)
})

test('what takes too long starts a run, and others have turns meanwhile', async () => {
  const pattern = `${'*a'.repeat(249)}*b`
  const patterns = Array.from({ length: 50 }, () => pattern)
  let turns = 0
  const timer = setInterval(() => (turns += 1), 0)
  const paths = Array.from({ length: 299 }, () => 'a'.repeat(1_000))
  expect(await fitAny(patterns, paths)).toBe(true)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
})
