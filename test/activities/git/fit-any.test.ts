import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fitAny, pathMatcher } from '../../../activities/git/fit-any.ts'

test('paths of a push are compared with the patterns of a trigger', async () => {
  expect(await fitAny(['src/**', '*.md'], ['docs/a.txt', 'src/a/b.ts'])).toBe(true)
  expect(await fitAny(['src/**', '*.md'], ['docs/a.txt'])).toBe(false)
  expect(await fitAny(['src/**'], [])).toBe(false)
  expect(await fitAny([], ['docs/a.txt'])).toBe(false)
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

/** What each turn of the event loop takes, while one path after the other is compared. */
async function stepsOfTurns(patterns: readonly string[], paths: readonly string[]) {
  const matcher = pathMatcher(patterns)
  const reached = [0]
  let isOver = false
  const others = (async () => {
    for (; !isOver; reached.push(matcher.tally.steps)) await turn()
  })()
  for (const path of paths) expect(await matcher.fitsAny(path)).toBe(false)
  isOver = true
  await others
  return reached.slice(1).map((steps, at) => steps - (reached[at] ?? 0))
}

test('others have turns between patterns, also while one path is compared', async () => {
  const patterns = Array.from({ length: 50 }, (_, at) => `*${'a'.repeat(490)}${at}z`)
  const turns = await stepsOfTurns(patterns, ['a'.repeat(1_000)])
  expect(turns.length).toBeGreaterThan(20)
  expect(Math.max(...turns)).toBeLessThan(1_100_000)
})

test('patterns of many folders that were made for long paths start a run too, with turns for others', async () => {
  const patterns = Array.from({ length: 50 }, (_, at) => `${'**/*/'.repeat(31)}z${at}`)
  const path = `${'a/'.repeat(511)}b`
  const turns = await stepsOfTurns(
    patterns,
    Array.from({ length: 20 }, () => path),
  )
  expect(turns.length).toBeGreaterThan(4)
  expect(Math.max(...turns)).toBeLessThan(550_000)
  expect(
    await fitAny(
      patterns,
      Array.from({ length: 299 }, () => path),
    ),
  ).toBe(true)
})
