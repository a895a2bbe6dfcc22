import type { StreamParser, StringStream } from '@codemirror/language'

export type RegoState = { isRaw: boolean; depth: number; afterDot: boolean }

const keywords = new Set(
  'as contains default else every if import in not package some with'.split(' '),
)

/** Colours and indentation of Rego, the language of policies (Open Policy Agent, "Policy Language"). */
export const rego: StreamParser<RegoState> = {
  name: 'rego',
  startState: () => ({ isRaw: false, depth: 0, afterDot: false }),
  token(stream, state) {
    if (state.isRaw) return inRaw(stream, state)
    if (stream.eatSpace()) return null
    const { afterDot } = state
    state.afterDot = false
    if (stream.match('#')) {
      stream.skipToEnd()
      return 'comment'
    }
    if (stream.match('`')) {
      state.isRaw = true
      return 'string'
    }
    // One that is not closed ends with its line.
    if (stream.match(/^"(\\.|[^"\\])*("|$)/)) return 'string'
    if (stream.match(/^\d+(\.\d+)?([eE][+-]?\d+)?/)) return 'number'
    if (stream.match(/^[A-Za-z_]\w*/)) return wordOf(stream, afterDot)
    return signOf(stream, state)
  },
  indent: ({ isRaw, depth }, textAfter, { unit }) =>
    isRaw ? null : Math.max(0, depth - (/^\s*[}\])]/.test(textAfter) ? 1 : 0)) * unit,
  languageData: {
    commentTokens: { line: '#' },
    closeBrackets: { brackets: ['(', '[', '{', '"', '`'] },
    indentOnInput: /^\s*[}\])]$/,
  },
}

/** A string in backquotes goes over lines and has no escapes. */
function inRaw(stream: StringStream, state: RegoState): string {
  if (stream.skipTo('`')) {
    stream.next()
    state.isRaw = false
  } else stream.skipToEnd()
  return 'string'
}

function wordOf(stream: StringStream, afterDot: boolean): string {
  const word = stream.current()
  const isCalled = stream.match(/^\(/, false)
  if (afterDot) return isCalled ? 'propertyName.function' : 'propertyName'
  if (keywords.has(word)) return 'keyword'
  if (word === 'true' || word === 'false') return 'bool'
  if (word === 'null') return 'null'
  return isCalled ? 'variableName.function' : 'variableName'
}

function signOf(stream: StringStream, state: RegoState): string {
  const sign = stream.next() ?? ''
  if ('{[('.includes(sign)) {
    state.depth += 1
    return 'bracket'
  }
  if ('}])'.includes(sign)) {
    state.depth = Math.max(0, state.depth - 1)
    return 'bracket'
  }
  state.afterDot = sign === '.'
  return '.,;'.includes(sign) ? 'punctuation' : 'operator'
}
