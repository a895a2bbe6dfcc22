import { filterTokens, type Token } from './filter-tokens.ts'
import { quoted, refusal } from './refusals.ts'

const compareOperators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type CompareOperator = (typeof compareOperators)[number]
export type FilterValue = string | number | boolean | null

/** As parsed: no name is looked up yet. */
export type ParsedFilter =
  | { kind: 'and' | 'or'; parts: ParsedFilter[] }
  | { kind: 'not'; part: ParsedFilter }
  | { kind: 'present'; path: string }
  | { kind: 'compare'; path: string; operator: CompareOperator; value: FilterValue }
  /** `emails[type eq "work"]`, also with what some connectors append: `.value eq "…"`. */
  | { kind: 'element'; path: string; filter: ParsedFilter }

const maxBytes = 1_024
const maxDepth = 10
const maxTerms = 20

/** Parses the whole grammar of RFC 7644 3.4.2.2, within limits of length, depth and terms. */
export function parseFilter(text: string): ParsedFilter {
  if (Buffer.byteLength(text) > maxBytes)
    throw refusal('invalidFilter', `A filter has at most ${maxBytes} bytes.`)
  const state = { tokens: filterTokens(text), at: 0, terms: 0 }
  const filter = parseOr(state, 0)
  if (state.at < state.tokens.length) throw unexpected(state)
  return filter
}

type State = { tokens: Token[]; at: number; terms: number }

/** `or` binds weakest, then `and`; `not` and groupings bind strongest. */
function parseOr(state: State, depth: number): ParsedFilter {
  const parts = [parseAnd(state, depth)]
  while (takeWord(state, 'or')) parts.push(parseAnd(state, depth))
  return oneOrAll('or', parts)
}

function parseAnd(state: State, depth: number): ParsedFilter {
  const parts = [parseTerm(state, depth)]
  while (takeWord(state, 'and')) parts.push(parseTerm(state, depth))
  return oneOrAll('and', parts)
}

function parseTerm(state: State, depth: number): ParsedFilter {
  if (depth >= maxDepth)
    throw refusal('invalidFilter', `A filter is nested at most ${maxDepth} deep.`)
  if (isMark(state.tokens[state.at], '(')) return parseGroup(state, depth)
  const [next, after] = [state.tokens[state.at], state.tokens[state.at + 1]]
  if (next?.kind !== 'word') throw unexpected(state)
  if (next.text.toLowerCase() === 'not' && isMark(after, '(')) {
    state.at += 1
    return { kind: 'not', part: parseGroup(state, depth) }
  }
  state.at += 1
  if (isMark(after, '[')) return parseElement(state, next.text, depth)
  return parseTest(state, next.text)
}

function parseGroup(state: State, depth: number): ParsedFilter {
  state.at += 1
  const filter = parseOr(state, depth + 1)
  takeMark(state, ')')
  return filter
}

function parseElement(state: State, path: string, depth: number): ParsedFilter {
  state.at += 1
  const filter = parseOr(state, depth + 1)
  takeMark(state, ']')
  const next = state.tokens[state.at]
  if (next?.kind !== 'word' || !next.text.startsWith('.')) return { kind: 'element', path, filter }
  state.at += 1
  const test = parseTest(state, next.text.slice(1))
  return { kind: 'element', path, filter: { kind: 'and', parts: [filter, test] } }
}

function parseTest(state: State, path: string): ParsedFilter {
  state.terms += 1
  if (state.terms > maxTerms)
    throw refusal('invalidFilter', `A filter has at most ${maxTerms} comparisons.`)
  const word = state.tokens[state.at]
  const operator = word?.kind === 'word' ? word.text.toLowerCase() : undefined
  if (operator === 'pr') {
    state.at += 1
    return { kind: 'present', path }
  }
  const known = compareOperators.find((one) => one === operator)
  if (!known) throw unexpected(state, `an operator (${compareOperators.join(', ')}, pr)`)
  const literal = state.tokens[state.at + 1]
  if (literal?.kind !== 'literal') {
    state.at += 1
    throw unexpected(state, 'a value: a string in double quotes, a number, true, false or null')
  }
  state.at += 2
  return { kind: 'compare', path, operator: known, value: literal.value }
}

const oneOrAll = (kind: 'and' | 'or', parts: ParsedFilter[]): ParsedFilter => {
  const [only] = parts
  return only && parts.length === 1 ? only : { kind, parts }
}

const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'mark' && token.text === text

function takeMark(state: State, text: string): void {
  if (!isMark(state.tokens[state.at], text)) throw unexpected(state, quoted(text))
  state.at += 1
}

function takeWord(state: State, text: string): boolean {
  const token = state.tokens[state.at]
  const taken = token?.kind === 'word' && token.text.toLowerCase() === text
  if (taken) state.at += 1
  return taken
}

function unexpected({ tokens, at }: State, wanted?: string) {
  const token = tokens[at]
  const found = !token
    ? 'ends too early'
    : `has ${quoted(token.kind === 'literal' ? String(token.value) : token.text)} where it does not belong`
  return refusal('invalidFilter', `The filter ${found}${wanted ? `; expected ${wanted}` : ''}.`)
}
