import { invalid, type AppError } from '../errors.ts'
import { maxNesting, type FoundBlock } from './found-block.ts'
import { blocksInJson } from './json-blocks.ts'

export type TerraformBlock = {
  /** `encryption`, `backend`, `cloud`, `required_providers`… */
  type: string
  /** From 1. */
  line: number
}

/** Files that OpenTofu reads as configuration: `.tf`, `.tofu`, and the JSON form of both. */
export const isConfigurationFile = (path: string): boolean => /\.(tf|tofu)(\.json)?$/.test(path)

/**
 * Finds blocks of these types directly in the top-level `terraform` blocks of one file.
 *
 * Follows the scanner of OpenTofu's HCL (v2.20, hclsyntax/scan_tokens.rl and json/scanner.go), so that an
 * author cannot hide a block in what only looks like a comment, a string or a heredoc here. It accepts
 * more than the grammar: what OpenTofu reads is always found, and what it refuses may be found.
 */
export function terraformBlocks(
  path: string,
  text: string,
  types: readonly string[],
): TerraformBlock[] {
  const isJson = path.endsWith('.json')
  // Names have no escapes in the native syntax, and only these in JSON.
  const mayHave = (word: string) => text.includes(word) || (isJson && text.includes('\\u'))
  if (!mayHave('terraform') || !types.some(mayHave)) return []
  const found = isJson ? blocksInJson(text, types) : inNative(text, types)
  if (found === 'too deep') throw tooDeep(path)
  let line = 1
  let from = 0
  return found.map(({ type, at }) => {
    for (let newline = text.indexOf('\n', from); newline >= 0 && newline < at;) {
      line += 1
      from = newline + 1
      newline = text.indexOf('\n', from)
    }
    return { type, line }
  })
}

export const tooDeep = (path: string): AppError =>
  invalid(
    `The configuration is refused: ${path} nests blocks, objects or lists more than ${maxNesting.toLocaleString('en')} levels deep.`,
    [{ path: `files[${JSON.stringify(path)}]`, message: 'is nested too deeply' }],
    'configuration_refused',
  )

/**
 * What the scanner is inside of: a block or object, code in a template (`${` or `%{`), a quoted template,
 * or a heredoc with its marker.
 */
type Frame =
  | { kind: 'braces'; isVisited: boolean }
  | { kind: 'sequence' }
  | { kind: 'quoted' }
  | { kind: 'heredoc'; marker: string }

// One of each, since a file can have millions.
const braces: Frame = { kind: 'braces', isVisited: false }
const visitedBraces: Frame = { kind: 'braces', isVisited: true }
const sequence: Frame = { kind: 'sequence' }
const quoted: Frame = { kind: 'quoted' }

const newline = 10
const quote = 34
const hash = 35
const dollar = 36
const percent = 37
const star = 42
const slash = 47
const less = 60
const backslash = 92
const open = 123
const close = 125

/** By code: 1 for these ASCII characters. Steps by code take a tenth of the time of patterns. */
const table = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0))
/** What a scanner for blocks can skip, in code, in quotes and in a heredoc. Also what is not ASCII, but for code. */
const idleInCode = table(/[^#/"{}\n<A-Za-z_]/)
const inWord = table(/[A-Za-z0-9_-]/)
const atWordStart = table(/[A-Za-z_]/)
const busyInQuotes = table(/[\\"$%]/)
const busyInHeredoc = table(/[\n$%]/)

const identifier = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy
const heredoc = /<<-?([\p{ID_Start}_][\p{ID_Continue}-]*)\r?\n/uy

function inNative(text: string, types: readonly string[]): FoundBlock[] | 'too deep' {
  const found: FoundBlock[] = []
  const isWhole = scanNative(text, (at, end, isTop) => {
    const word = text.slice(at, end)
    if (!isTop && types.includes(word)) found.push({ type: word, at })
  })
  return isWhole ? found : 'too deep'
}

/**
 * Visits each word of the top level, and each one directly in a top-level block of the type `inside`. Returns false
 * where the file nests too deeply to be read.
 */
export function scanNative(
  text: string,
  visit: (at: number, end: number, isTop: boolean) => void,
  inside = 'terraform',
): boolean {
  const stack: Frame[] = []
  /** The first word of the current top-level statement, which names a block. */
  let head: string | undefined
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length) {
    if (stack.length > maxNesting) return false
    const frame = stack.at(-1)
    if (frame?.kind === 'quoted' || frame?.kind === 'heredoc') {
      at = frame.kind === 'quoted' ? inQuoted(text, at, stack) : inHeredoc(text, at, stack)
      continue
    }
    const code = text.charCodeAt(at)
    if (code === quote) {
      stack.push(quoted)
      at += 1
    } else if (code === open) {
      stack.push(stack.length === 0 && head === inside ? visitedBraces : braces)
      at += 1
    } else if (code === close) {
      stack.pop()
      if (stack.length === 0) head = undefined
      at += 1
    } else if (code === newline) {
      if (stack.length === 0) head = undefined
      at += 1
    } else if (code === hash || code === slash) {
      at = endOfComment(text, at)
    } else if (code === less) {
      const marker = markerAt(text, at)
      if (marker !== undefined) stack.push({ kind: 'heredoc', marker })
      at = marker === undefined ? at + 1 : heredoc.lastIndex
    } else {
      const end = endOfWord(text, at)
      const isTop = stack.length === 0
      if (end > at && (isTop || (stack.length === 1 && frame === visitedBraces))) {
        if (isTop) head ??= text.slice(at, end)
        visit(at, end, isTop)
      }
      at = end > at ? end : endOfIdle(text, at)
    }
  }
  return true
}

/** Behind a comment, or behind a slash that begins none. */
export function endOfComment(text: string, at: number): number {
  const isBlock = text.charCodeAt(at) === slash && text.charCodeAt(at + 1) === star
  if (isBlock) {
    const end = text.indexOf('*/', at + 2)
    // It has no end: OpenTofu refuses the file.
    return end < 0 ? text.length : end + 2
  }
  if (text.charCodeAt(at) === slash && text.charCodeAt(at + 1) !== slash) return at + 1
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/** The marker of a heredoc that begins here. Its text begins at `heredoc.lastIndex`. */
function markerAt(text: string, at: number): string | undefined {
  if (text.charCodeAt(at + 1) !== less) return undefined
  heredoc.lastIndex = at
  return heredoc.exec(text)?.[1]
}

/** The place behind the word that begins here, or this place. */
function endOfWord(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 0x80 && atWordStart[code] === 0) return at
  let end = at
  while (end < text.length && inWord[text.charCodeAt(end)] === 1) end += 1
  // With Unicode classes a pattern takes much longer.
  if (end > at && !(text.charCodeAt(end) >= 0x80)) return end
  identifier.lastIndex = at
  return identifier.test(text) ? identifier.lastIndex : end
}

function endOfIdle(text: string, at: number): number {
  let end = at + 1
  while (end < text.length && idleInCode[text.charCodeAt(end)] === 1) end += 1
  return end
}

/** Up to the end of the template, or to the code in it. */
function inQuoted(text: string, start: number, stack: Frame[]): number {
  let at = start
  while (at < text.length && busyInQuotes[text.charCodeAt(at)] !== 1) at += 1
  const code = text.charCodeAt(at)
  if (code === backslash) return at + 2
  if (code === quote) {
    stack.pop()
    return at + 1
  }
  return inTemplate(text, at, stack)
}

/** One step in a heredoc; `start` may be within a line, after a template sequence. */
function inHeredoc(text: string, start: number, stack: Frame[]): number {
  const frame = stack.at(-1)
  if (frame?.kind === 'heredoc' && text.charCodeAt(start - 1) === newline) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    if (isMarker(text, { from: start, end }, frame.marker)) {
      stack.pop()
      return end
    }
  }
  let at = start
  while (at < text.length && busyInHeredoc[text.charCodeAt(at)] !== 1) at += 1
  return inTemplate(text, at, stack)
}

/** Whether a line consists of the marker and what Go's bytes.TrimSpace removes. */
function isMarker(text: string, { from, end }: { from: number; end: number }, marker: string) {
  let start = from
  let last = end
  while (start < last && spaces.has(text[start] ?? '')) start += 1
  while (last > start && spaces.has(text[last - 1] ?? '')) last -= 1
  return last - start === marker.length && text.startsWith(marker, start)
}

const spaces = new Set(
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
)

/** `$${` and `%%{` are text; `${` and `%{` start code. */
function inTemplate(text: string, at: number, stack: Frame[]): number {
  const code = text.charCodeAt(at)
  if (code !== dollar && code !== percent) return at + 1
  const next = text.charCodeAt(at + 1)
  if (next === code && text.charCodeAt(at + 2) === open) return at + 3
  if (next !== open) return at + 1
  stack.push(sequence)
  return at + 2
}
