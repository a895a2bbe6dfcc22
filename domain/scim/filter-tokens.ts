import { quoted, refusal } from './refusals.ts'

export type Token =
  | { kind: 'word'; text: string }
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'mark'; text: '(' | ')' | '[' | ']' }

/** RFC 7644 3.4.2.2: an attribute's name may carry its URN; a sub-attribute may follow a bracket. */
const word = /[A-Za-z_$.][\w$.:-]*/y
const string = /"(?:[^"\\]|\\.)*"/y
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w$.:-])/y

/** One pass without backtracking, so that no text makes it slow. */
export function filterTokens(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  while (at < text.length) {
    const next = text.charAt(at)
    if (next === ' ') at += 1
    else if (next === '(' || next === ')' || next === '[' || next === ']') {
      tokens.push({ kind: 'mark', text: next })
      at += 1
    } else if (next === '"') tokens.push({ kind: 'literal', value: unquote(match(string)) })
    else {
      const digits = match(number)
      const name = digits === undefined ? match(word) : undefined
      if (digits !== undefined) tokens.push({ kind: 'literal', value: Number(digits) })
      else if (name !== undefined) tokens.push(ofWord(name))
      else throw refusal('invalidFilter', `The filter is not valid at ${quoted(text.slice(at))}.`)
    }
  }
  return tokens
}

/** Values are JSON (RFC 7644 3.4.2.2), and so are its escapes. */
function unquote(literal: string | undefined): string {
  try {
    const value: unknown = JSON.parse(literal ?? '')
    if (typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed()) return value
  } catch {
    // Reported below, like every other fault.
  }
  throw refusal('invalidFilter', 'The filter has a string that is not closed or not JSON.')
}

function ofWord(text: string): Token {
  const lower = text.toLowerCase()
  if (lower === 'true' || lower === 'false') return { kind: 'literal', value: lower === 'true' }
  if (lower === 'null') return { kind: 'literal', value: null }
  return { kind: 'word', text }
}
