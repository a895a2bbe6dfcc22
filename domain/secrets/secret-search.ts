import {
  beginningsOf,
  hasLines,
  isSearched,
  longLines,
  maxSearchWork,
  searchPatterns,
  shortestLine,
  shortestPart,
} from './search-patterns.ts'
import { createTextMatcher, type TextMatcher } from './text-matcher.ts'

/**
 * Searches what a reader is shown for secrets of a workspace, in each form in which tools pass them on. A
 * text with a secret is shown up to it, since the rest of it may follow. To keep reads cheap, a long
 * secret is found by its beginning, and one of many lines by its first lines. Of more than can be searched for
 * nothing is shown that could have any of it.
 */
export function createSecretSearch(
  secrets: Iterable<string>,
  { lists = [], isIncomplete = false, maxWork = maxSearchWork }: SearchOptions = {},
): SecretSearch {
  const known = isIncomplete ? undefined : searchPatterns(secrets, { lists, maxWork })
  if (!known) return hidesAll
  const { values } = known
  const numbers = new Set([...values].map(Number).filter((number) => Number.isFinite(number)))
  const matcher = createTextMatcher(known.patterns)
  const cover = (text: string): string => {
    if (values.has(text.trim())) return hiddenText
    // Too short to hold any form that is looked for: most values of a large output are.
    if (text.length < shortestPart) return text
    const [first] = matcher.find(text)
    return first ? text.slice(0, first.start) + hiddenText : text
  }
  return {
    cover,
    ...searchInLines(values, matcher),
    // Numbers with many digits lose precision, so they are compared as numbers too.
    coverAll: coverEach(cover, (number) => numbers.has(number)),
  }
}

export type SearchOptions = {
  /** Sensitive objects and lists of OpenTofu, whose texts are secrets too (parts-of-secret.ts). */
  lists?: Iterable<string>
  /** There are more secrets than these. */
  isIncomplete?: boolean
  maxWork?: number
}

/** Masks every text, number and key of a JSON value. */
function coverEach(
  cover: (text: string) => string,
  isHidden: (number: number) => boolean,
): SecretSearch['coverAll'] {
  const coverAll = (value: unknown, level: number): unknown => {
    if (typeof value === 'string') return cover(value)
    if (typeof value === 'number') {
      const text = String(value)
      return isHidden(value) || cover(text) !== text ? hiddenText : value
    }
    if (typeof value !== 'object' || value === null) return value
    // Nested more deeply than any real value, it could overflow the stack.
    if (level >= maxLevels) return hiddenText
    if (Array.isArray(value)) return coverList(value, level)
    let isSame = true
    const entries = Object.entries(value).map(([key, item], at) => {
      const shown = cover(key)
      const covered = coverAll(item, level + 1)
      isSame &&= shown === key && covered === item
      // Numbered, so that two masked keys stay distinct.
      return [shown === key ? key : `${shown} ${at + 1}`, covered] as const
    })
    return isSame ? value : Object.fromEntries(entries)
  }
  const coverList = (list: readonly unknown[], level: number): readonly unknown[] => {
    let covered: unknown[] | undefined
    for (const [at, item] of list.entries()) {
      const shown = coverAll(item, level + 1)
      if (shown !== item) (covered ??= [...list])[at] = shown
    }
    return covered ?? list
  }
  return (value) => coverAll(value, 0)
}

/** Searches text of many lines for secrets of several lines. What it needs for that is made at the first search. */
function searchInLines(
  values: ReadonlySet<string>,
  matcher: TextMatcher,
): Pick<SecretSearch, 'coverBlocks' | 'coverLines'> {
  let blocks: TextMatcher | undefined
  const startOfBlock = (text: string, from = 0): number => {
    blocks ??= createTextMatcher([...values].filter(hasLines).flatMap(beginningsOf))
    const [first] = blocks.find(text.slice(from))
    return first ? from + first.start : text.length
  }
  const coverBlocks = (text: string): string => {
    const start = startOfBlock(text)
    return start < text.length ? text.slice(0, start) + hiddenText : text
  }
  let linesWithin: ReadonlySet<string> | undefined
  const isWithin = (line: string): boolean => {
    linesWithin ??= new Set(wordsOfLines(values))
    return linesWithin.size > 0 && wordsOf(line).some((word) => linesWithin?.has(word))
  }
  const coverLines = (lines: readonly string[]): string[] => {
    const text = lines.join('\n')
    const found = matcher.find(text)
    // What begins a block is found here too, so most logs are read once.
    const end = found[0] ? startOfBlock(text, found[0].start) : text.length
    let [next, at] = [0, 0]
    return lines.map((line) => {
      const start = next
      next += line.length + 1
      if (start > end || values.has(line.trim()) || isWithin(line)) return hiddenText
      while ((found[at]?.start ?? text.length) < start) at += 1
      const from = Math.min(found[at]?.start ?? text.length, end)
      return from < start + line.length ? line.slice(0, from - start) + hiddenText : line
    })
  }
  return { coverBlocks, coverLines }
}

export type SecretSearch = {
  cover: (text: string) => string
  /**
   * Of a text that is shown line by line: ends it at the first secret of several lines, whose other lines may be too
   * short or too many to be found by themselves. The lines are still to be covered.
   */
  coverBlocks: (text: string) => string
  /**
   * Of lines that follow each other, such as a page of a log: nothing is shown from the beginning of a secret of
   * several lines on, and none of its lines where the page begins within it.
   */
  coverLines: (lines: readonly string[]) => string[]
  /** Masks every text, number and key of a JSON value; a value without secrets is returned itself. */
  coverAll: (value: unknown) => unknown
}

const hiddenText = '[masked]'
const maxLevels = 200

/**
 * For secrets that are too many to be searched for: whatever is long enough to be one, or a line of one, is hidden. So
 * is each number, since a secret may be the same number with more zeros.
 */
const hideText = (text: string): string => (isSearched(text.trim()) ? hiddenText : text)
const hidesAll: SecretSearch = {
  cover: hideText,
  coverBlocks: (text) => (text === '' ? text : hiddenText),
  coverLines: (lines) => lines.map((line) => (line.trim() === '' ? line : hiddenText)),
  coverAll: coverEach(hideText, () => true),
}

/** A line as a whole, without the mark of a difference, and its last word: a provisioner has its name before it. */
const wordsOf = (line: string): string[] => {
  const whole = line.trim()
  return [whole, whole.replace(/^[+~-]\s+/, ''), whole.slice(whole.lastIndexOf(' ') + 1)]
}

function* wordsOfLines(secrets: ReadonlySet<string>): Generator<string> {
  for (const secret of secrets) if (hasLines(secret)) yield* longLines(secret, shortestLine)
}
