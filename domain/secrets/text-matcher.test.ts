import { describe, expect, test } from 'vitest'
import { addRange, createTextMatcher, type TextRange } from './text-matcher.ts'

/** The same by trying every pattern at every place. */
function tryAll(patterns: readonly string[], text: string): TextRange[] {
  const all = patterns.flatMap((pattern) =>
    Array.from({ length: text.length }, (_, start) => ({
      start,
      end: start + pattern.length,
    })).filter(({ start }) => pattern !== '' && text.startsWith(pattern, start)),
  )
  const ranges: TextRange[] = []
  for (const range of all.toSorted((a, b) => a.end - b.end || a.start - b.start))
    addRange(ranges, range)
  return ranges
}

/** A generator of its own, so that a failure comes again. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 8) % below
  }
}

const word = (next: (below: number) => number, letters: string, most: number) =>
  Array.from({ length: next(most) }, () => letters[next(letters.length)]).join('')

describe('createTextMatcher', () => {
  test('finds what trying every pattern at every place finds, over 3,000 random cases', () => {
    for (let seed = 1; seed <= 3_000; seed += 1) {
      const next = random(seed)
      const letters = ['ab', 'abc', 'aé\u{1F600}漢'][next(3)] ?? 'ab'
      const patterns = Array.from({ length: 1 + next(8) }, () => word(next, letters, 7))
      const text = word(next, letters, 60)
      const found = createTextMatcher(patterns).find(text)
      expect(found, JSON.stringify({ patterns, text })).toEqual(tryAll(patterns, text))
    }
  })

  test('of a text that is cut short, an end that may begin a pattern is found too', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const next = random(seed)
      const patterns = Array.from({ length: 1 + next(5) }, () => word(next, 'abc', 9))
      const text = word(next, 'abc', 30)
      const beginning = patterns
        .flatMap((pattern) => Array.from(pattern, (_, length) => pattern.slice(0, length)))
        .filter((part) => part !== '' && text.endsWith(part))
        .reduce((most, part) => Math.max(most, part.length), 0)
      const wanted = tryAll(patterns, text)
      if (beginning > 0) addRange(wanted, { start: text.length - beginning, end: text.length })
      const found = createTextMatcher(patterns).find(text, { cutShort: true })
      // A whole pattern at the very end may be all that is there, and its state the longer one.
      expect(found.at(-1)?.end ?? 0, JSON.stringify({ patterns, text })).toBe(
        wanted.at(-1)?.end ?? 0,
      )
      expect(found.at(-1)?.start ?? 0).toBeLessThanOrEqual(wanted.at(-1)?.start ?? 0)
    }
  })

  test('ranges that overlap are one, ranges that touch are two', () => {
    const { find } = createTextMatcher(['secret', 'retire', 'ab'])
    expect(find('secretire abab')).toEqual([
      { start: 0, end: 9 },
      { start: 10, end: 12 },
      { start: 12, end: 14 },
    ])
  })

  test('no pattern, an empty one and a text without any', () => {
    expect(createTextMatcher([]).find('text')).toEqual([])
    expect(createTextMatcher(['']).find('text', { cutShort: true })).toEqual([])
    expect(createTextMatcher(['other']).find('text')).toEqual([])
  })

  test('4 Mi of pattern characters take 4 Mi nodes, and each node a fixed number of bytes', () => {
    const next = random(7)
    const patterns = Array.from({ length: 64 }, () => word(next, 'abcdefgh', 2).padEnd(65_536, 'k'))
    expect(createTextMatcher(patterns.map((text, k) => `${k}-${text}`)).nodes).toBeLessThan(
      64 * 65_540,
    )
  })

  // A text and patterns for which trying each one takes the square of the length.
  test('patterns made to be slow take no longer than plain ones', () => {
    const alike = createTextMatcher(
      Array.from({ length: 1_000 }, (_, n) => `${'a'.repeat(n + 8)}b`),
    )
    const plain = createTextMatcher(Array.from({ length: 1_000 }, (_, n) => `secret-${n}-value`))
    const slow = fastest(() => alike.find('a'.repeat(262_144)))
    const quick = fastest(() => plain.find('secret-1-valuf '.repeat(17_476)))
    expect(slow / quick).toBeLessThan(20)
  })
})

/** The least of several: other work on the machine only ever adds to it. */
function fastest(work: () => unknown): number {
  return Math.min(
    ...Array.from({ length: 7 }, () => {
      const before = performance.now()
      work()
      return performance.now() - before
    }),
  )
}
