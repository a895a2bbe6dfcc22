import { textsIn } from './parts-of-secret.ts'
import { formsOf, secretForms } from './secret-forms.ts'

/**
 * What a search looks for: the values as a whole, and how each begins in each form in which tools pass it on. Undefined
 * if that is more than `maxWork`: it is built for each read, and who may set variables decides how much there is.
 */
export function searchPatterns(
  secrets: Iterable<string>,
  { lists = [], maxWork }: { lists?: Iterable<string>; maxWork: number },
): SearchPatterns | undefined {
  const values = new Set<string>()
  const patterns = new Set<string>()
  let work = 0
  /** Whether it fits. Counted while the patterns are made, so that no more are made than fit. */
  const add = (secret: string): boolean => {
    const value = secret.trim()
    if (!isSearched(value) || values.has(value)) return work <= maxWork
    values.add(value)
    for (const pattern of beginningsOf(value)) {
      if (patterns.has(pattern)) continue
      patterns.add(pattern)
      work += pattern.length + workOfPattern
    }
    if (hasLines(value)) work += [...longLines(value, shortestLine)].length * workOfLine
    return work <= maxWork
  }
  for (const secret of secrets) if (!add(secret)) return undefined
  for (const list of new Set(lists)) {
    work += Math.ceil(list.length / charactersOfWork)
    if (work > maxWork) return undefined
    for (const text of textsIn(list)) if (!add(text)) return undefined
  }
  return { values, patterns, work }
}

export type SearchPatterns = {
  values: ReadonlySet<string>
  patterns: ReadonlySet<string>
  work: number
}

/** A unit of work is a character of a pattern: 100 ns of CPU once the code is warm. The rest is counted in such units. */
const workOfPattern = 10
const workOfLine = 2
/** So many characters of a list are read in the time of a unit, also where its texts are short or the same. */
const charactersOfWork = 12

/** What a text of 32 letters and digits in a list takes. One of 8 takes 80. */
export const workOfText = 205

/**
 * The most that a read prepares: 30 ms of CPU and 12 MB. 300 private keys fit, or 1,200 plain values. What texts in
 * lists may take (domain/workspaces/refuse-texts.ts) is less, so that values from before fit too.
 */
export const maxSearchWork = 260_000

/** Words of every configuration are not searched for. */
export const isSearched = (secret: string): boolean =>
  secret.length >= 4 && !/^(true|false|null|none)$/i.test(secret)

export const hasLines = (secret: string): boolean => secret.includes('\n')

/** Shorter secrets appear in other values by chance. They are masked where they are the whole value. */
export const shortestPart = 8
const beginning = 32
const lineBeginning = 24
const maxLines = 12
/** Shorter lines of a secret are lines of other texts by chance. */
export const shortestLine = 16

export function beginningsOf(secret: string): string[] {
  if (secret.length < shortestPart) return []
  const options = { shortest: shortestPart, onlyBeginnings: true }
  if (!hasLines(secret)) return formsOf(cutAt(secret, beginning), options)
  const lines = firstLines(secret)
  return [
    ...(secret.length <= beginning
      ? secretForms(secret, options)
      : formsOf(cutAt(secret, beginning), options)),
    ...(lines.length > 1 ? lines : []),
  ]
}

function firstLines(secret: string): string[] {
  const lines: string[] = []
  for (const line of longLines(secret, lineBeginning)) {
    if (line.startsWith('-----')) continue
    lines.push(cutAt(line, lineBeginning))
    if (lines.length === maxLines) break
  }
  return lines
}

/** One after the other: a value may have 100,000 lines, of which a few are needed. */
export function* longLines(secret: string, shortest: number): Generator<string> {
  for (let start = 0; start <= secret.length;) {
    const next = secret.indexOf('\n', start)
    const end = next === -1 ? secret.length : next
    if (end - start >= shortest) {
      const line = secret.slice(start, end).trim()
      if (line.length >= shortest) yield line
    }
    start = end + 1
  }
}

/** Never cuts within a surrogate pair, whose half has another form in JSON, in a URL and in base64. */
const cutAt = (text: string, length: number): string =>
  text.length <= length
    ? text
    : text.slice(0, /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length)
