import { invalid } from '../errors.ts'

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
  const found = isJson ? inJson(text, types) : inNative(text, types)
  if (found === 'too deep')
    throw invalid(
      `The configuration is refused: ${path} nests blocks, objects or lists more than ${maxNesting.toLocaleString('en')} levels deep.`,
      [{ path: `files[${JSON.stringify(path)}]`, message: 'is nested too deeply' }],
      'configuration_refused',
    )
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

type Found = { type: string; at: number }

/** Nobody writes so many. Each level takes memory, and a file can open ten million. */
const maxNesting = 1_000

/**
 * What the scanner is inside of: a block or object, code in a template (`${` or `%{`), a quoted template,
 * or a heredoc with its marker.
 */
type Frame =
  | { kind: 'braces'; isTerraform: boolean }
  | { kind: 'sequence' }
  | { kind: 'quoted' }
  | { kind: 'heredoc'; marker: string }

const identifier = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy
/** Characters that a scanner for blocks can skip, in code, in quotes and in a heredoc. */
const idleInCode = /[^#/"{}\n<A-Za-z_\u0080-\uffff]+/y
const idleInQuotes = /[^\\"$%]+/y
const idleInHeredoc = /[^\n$%]+/y
const heredoc = /<<-?([\p{ID_Start}_][\p{ID_Continue}-]*)\r?\n/uy

function inNative(text: string, types: readonly string[]): Found[] | 'too deep' {
  const found: Found[] = []
  const stack: Frame[] = []
  /** The first word of the current top-level statement, which names a block. */
  let head: string | undefined
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length) {
    if (stack.length > maxNesting) return 'too deep'
    const frame = stack.at(-1)
    if (frame?.kind === 'quoted' || frame?.kind === 'heredoc') {
      at = frame.kind === 'quoted' ? inQuoted(text, at, stack) : inHeredoc(text, at, stack)
      continue
    }
    const character = text[at] ?? ''
    if (character === '#' || (character === '/' && text[at + 1] === '/')) {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end
    } else if (character === '/' && text[at + 1] === '*') {
      const end = text.indexOf('*/', at + 2)
      // It has no end: OpenTofu refuses the file.
      at = end < 0 ? text.length : end + 2
    } else if (character === '"') {
      stack.push({ kind: 'quoted' })
      at += 1
    } else if (character === '{') {
      stack.push({ kind: 'braces', isTerraform: stack.length === 0 && head === 'terraform' })
      at += 1
    } else if (character === '}') {
      stack.pop()
      if (stack.length === 0) head = undefined
      at += 1
    } else if (character === '\n') {
      if (stack.length === 0) head = undefined
      at += 1
    } else if (character === '<' && matches(heredoc, text, at)) {
      heredoc.lastIndex = at
      const [whole = '', marker = ''] = heredoc.exec(text) ?? []
      stack.push({ kind: 'heredoc', marker })
      at += whole.length
    } else if (isWordStart(text, at)) {
      const end = endOfWord(text, at)
      const type = text.slice(at, end)
      if (stack.length === 0) head ??= type
      if (stack.length === 1 && frame?.kind === 'braces' && frame.isTerraform)
        if (types.includes(type)) found.push({ type, at })
      at = end
    } else {
      at = matches(idleInCode, text, at) ? idleInCode.lastIndex : at + 1
    }
  }
  return found
}

/** A fast path for ASCII words: a pattern with Unicode classes takes five times as long. */
const asciiWord = /[A-Za-z_][A-Za-z0-9_-]*/y

function isWordStart(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 0x80) return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95
  return matches(identifier, text, at)
}

function endOfWord(text: string, at: number): number {
  if (matches(asciiWord, text, at) && !(text.charCodeAt(asciiWord.lastIndex) >= 0x80))
    return asciiWord.lastIndex
  return matches(identifier, text, at) ? identifier.lastIndex : asciiWord.lastIndex
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** One step within a quoted template. */
function inQuoted(text: string, at: number, stack: Frame[]): number {
  if (matches(idleInQuotes, text, at)) return idleInQuotes.lastIndex
  const character = text[at]
  if (character === '\\') return at + 2
  if (character === '"') {
    stack.pop()
    return at + 1
  }
  return inTemplate(text, at, stack)
}

/** One step in a heredoc; `at` may be within a line, after a template sequence. */
function inHeredoc(text: string, at: number, stack: Frame[]): number {
  const frame = stack.at(-1)
  if (frame?.kind === 'heredoc' && text[at - 1] === '\n') {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    if (isMarker(text, { from: at, end }, frame.marker)) {
      stack.pop()
      return end
    }
  }
  if (matches(idleInHeredoc, text, at)) return idleInHeredoc.lastIndex
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
  const character = text[at]
  if (character !== '$' && character !== '%') return at + 1
  if (text[at + 1] === character && text[at + 2] === '{') return at + 3
  if (text[at + 1] !== '{') return at + 1
  stack.push({ kind: 'sequence' })
  return at + 2
}

/** Which part of the document a JSON value is: all of it, a `terraform` block, or anything else. */
type Part = 'document' | 'terraform' | 'other'

/**
 * HCL's JSON keeps duplicate properties, decodes their names, and reads a list of objects as several
 * blocks, so JSON.parse would lose what OpenTofu reads.
 */
function inJson(text: string, types: readonly string[]): Found[] | 'too deep' {
  const found: Found[] = []
  const stack: Array<{ isObject: boolean; part: Part }> = []
  let part: Part = 'document'
  let at = 0
  while (at < text.length) {
    const character = text[at]
    if (stack.length > maxNesting) return 'too deep'
    const top = stack.at(-1)
    if (character === '{' || character === '[') stack.push({ isObject: character === '{', part })
    else if (character === '}' || character === ']') stack.pop()
    else if (character === ',' && top) part = top.part
    if (character !== '"') {
      at += 1
      continue
    }
    const end = endOfText(text, at)
    const isName = /\s*:/y
    isName.lastIndex = end
    if (top?.isObject && isName.test(text)) {
      const name = decode(text.slice(at, end))
      if (top.part === 'terraform' && types.includes(name)) found.push({ type: name, at })
      part = top.part === 'document' && name === 'terraform' ? 'terraform' : 'other'
    }
    at = end
  }
  return found
}

/** The place behind the closing quote. */
function endOfText(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return Math.min(at + 1, text.length)
}

function decode(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted.slice(1, -1)
  }
}
