import { formsOf, secretForms } from './secret-forms.ts'
import { createTextMatcher, type TextMatcher } from './text-matcher.ts'

/**
 * Searches what a reader is shown for secrets of a workspace, in each form in which tools pass them on. A
 * text with a secret is shown up to it, since the rest of it may follow. To keep reads cheap, a long
 * secret is found by its beginning, and one of many lines by its first lines.
 */
export function createSecretSearch(secrets: Iterable<string>): SecretSearch {
  const values = new Set([...secrets].map((secret) => secret.trim()).filter(isSearched))
  const numbers = new Set([...values].map(Number).filter((number) => Number.isFinite(number)))
  const matcher = createTextMatcher([...values].flatMap(beginningsOf))
  const cover = (text: string): string => {
    if (values.has(text.trim())) return hiddenText
    // Too short to hold any form that is looked for: most values of a large output are.
    if (text.length < shortestPart) return text
    const [first] = matcher.find(text)
    return first ? text.slice(0, first.start) + hiddenText : text
  }
  const coverAll = (value: unknown, level = 0): unknown => {
    if (typeof value === 'string') return cover(value)
    // Numbers with many digits lose precision, so they are compared as numbers too.
    if (typeof value === 'number') {
      const text = String(value)
      return numbers.has(value) || cover(text) !== text ? hiddenText : value
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
  let blocks: TextMatcher | undefined
  const coverBlocks = (text: string): string => {
    blocks ??= createTextMatcher([...values].filter(hasLines).flatMap(beginningsOf))
    const [first] = blocks.find(text)
    return first ? text.slice(0, first.start) + hiddenText : text
  }
  return { cover, coverBlocks, coverAll: (value) => coverAll(value) }
}

export type SecretSearch = {
  cover: (text: string) => string
  /**
   * Of a text that is shown line by line: ends it at the first secret of several lines, whose other lines may be too
   * short or too many to be found by themselves. The lines are still to be covered.
   */
  coverBlocks: (text: string) => string
  /** Masks every text, number and key of a JSON value; a value without secrets is returned itself. */
  coverAll: (value: unknown) => unknown
}

const hiddenText = '[masked]'

const hasLines = (secret: string): boolean => secret.includes('\n')

/** Shorter secrets appear in other values by chance. They are masked where they are the whole value. */
const shortestPart = 8
const beginning = 32
const lineBeginning = 24
const maxLines = 12
const maxLevels = 200

/** Words of every configuration are not searched for. */
const isSearched = (secret: string): boolean =>
  secret.length >= 4 && !/^(true|false|null|none)$/i.test(secret)

function beginningsOf(secret: string): string[] {
  if (secret.length < shortestPart) return []
  const lines = secret
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= lineBeginning && !line.startsWith('-----'))
    .slice(0, maxLines)
  return [
    ...(secret.length <= beginning
      ? secretForms(secret, { shortest: shortestPart })
      : formsOf(cutAt(secret, beginning), { shortest: shortestPart })),
    ...(lines.length > 1 ? lines : []).map((line) => cutAt(line, lineBeginning)),
  ]
}

/** Never cuts within a surrogate pair, whose half has another form in JSON, in a URL and in base64. */
const cutAt = (text: string, length: number): string =>
  text.slice(0, /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length)
