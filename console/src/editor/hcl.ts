import type { StreamParser, StringStream } from '@codemirror/language'

type Frame =
  | { kind: 'string' | 'comment' }
  | { kind: 'heredoc'; end: string }
  /** Inside of `${ }`, with the braces that were opened there. */
  | { kind: 'template'; braces: number }

export type HclState = {
  frames: Frame[]
  /** Those that are open, innermost last. */
  brackets: string
  /** Where a block or an argument can begin: at the start of a line or after a brace. */
  fresh: boolean
  afterDot: boolean
}

/** Colours and indentation of HCL, the language of OpenTofu. */
export const hcl: StreamParser<HclState> = {
  name: 'hcl',
  startState: () => ({ frames: [], brackets: '', fresh: true, afterDot: false }),
  copyState: (state) => ({ ...state, frames: state.frames.map((frame) => ({ ...frame })) }),
  token(stream, state) {
    const frame = state.frames.at(-1)
    switch (frame?.kind) {
      case 'string':
        return inString(stream, state)
      case 'comment':
        return inComment(stream, state)
      case 'heredoc':
        return inHeredoc(stream, state, frame.end)
      default:
        return inCode(stream, state)
    }
  },
  indent({ frames, brackets }, textAfter, { unit }) {
    if (frames.at(-1)?.kind === 'heredoc') return null
    return Math.max(0, brackets.length - (/^\s*[}\])]/.test(textAfter) ? 1 : 0)) * unit
  },
  languageData: {
    commentTokens: { line: '#', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', '"'] },
    indentOnInput: /^\s*[}\])]$/,
  },
}

function inComment(stream: StringStream, state: HclState): string {
  if (stream.skipTo('*/')) {
    stream.match('*/')
    state.frames.pop()
  } else stream.skipToEnd()
  return 'comment'
}

function inString(stream: StringStream, state: HclState): string | null {
  // A quoted string ends with its line, also where its quote is missing.
  if (stream.sol()) {
    state.frames.pop()
    return inCode(stream, state)
  }
  if (stream.match('"')) {
    state.frames.pop()
    return 'string'
  }
  if (stream.match(/^\\./)) return 'string.special'
  return templated(stream, state)
}

function inHeredoc(stream: StringStream, state: HclState, end: string): string {
  if (stream.sol() && stream.string.trim() === end) {
    stream.skipToEnd()
    state.frames.pop()
    return 'keyword'
  }
  return templated(stream, state)
}

/** A piece of a text in which `${ }` and `%{ }` stand. Doubled, they are text. */
function templated(stream: StringStream, state: HclState): string {
  if (stream.match(/^(\$\$\{|%%\{)/)) return 'string'
  if (stream.match(/^[$%]\{/)) {
    state.frames.push({ kind: 'template', braces: 0 })
    return 'string.special'
  }
  if (!stream.match(/^[^"\\$%]+/)) stream.next()
  return 'string'
}

function inCode(stream: StringStream, state: HclState): string | null {
  if (stream.sol()) state.fresh = state.frames.length === 0 && !/[[(]$/.test(state.brackets)
  if (stream.eatSpace()) return null
  const { fresh, afterDot } = state
  state.fresh = false
  state.afterDot = false
  if (stream.match(/^(#|\/\/)/)) {
    stream.skipToEnd()
    return 'comment'
  }
  if (stream.match('/*')) {
    state.frames.push({ kind: 'comment' })
    return 'comment'
  }
  if (stream.match('"')) {
    state.frames.push({ kind: 'string' })
    return 'string'
  }
  if (stream.match(/^<<-?[\p{L}_][\p{L}\p{N}_-]*/u)) {
    const end = stream.current().replace(/^<<-?/, '')
    state.frames.push({ kind: 'heredoc', end })
    return 'keyword'
  }
  if (stream.match(/^\d+(\.\d+)?([eE][+-]?\d+)?/)) return 'number'
  if (stream.match(/^[\p{L}_][\p{L}\p{N}_-]*/u)) return wordOf(stream, { fresh, afterDot })
  return signOf(stream, state)
}

const expressionWords = new Set(['for', 'in', 'if', 'else', 'endif', 'endfor'])

function wordOf(stream: StringStream, { fresh, afterDot }: Pick<HclState, 'fresh' | 'afterDot'>) {
  const word = stream.current()
  if (afterDot) return 'propertyName'
  // Before an equals sign it is the name of an argument, whatever the word.
  if (stream.match(/^\s*(=(?![=>])|:(?!:))/, false)) return 'propertyName'
  if (word === 'true' || word === 'false') return 'bool'
  if (word === 'null') return 'null'
  if (stream.match(/^(::|\()/, false)) return 'variableName.function'
  if (fresh && stream.match(/^\s*["{\p{L}_]/u, false)) return 'keyword'
  return expressionWords.has(word) ? 'keyword' : 'variableName'
}

function signOf(stream: StringStream, state: HclState): string {
  const sign = stream.next() ?? ''
  const frame = state.frames.at(-1)
  if (sign === '}' && frame?.kind === 'template' && frame.braces === 0) {
    state.frames.pop()
    return 'string.special'
  }
  if ('{[('.includes(sign)) {
    state.brackets += sign
    state.fresh = sign === '{'
    if (sign === '{' && frame?.kind === 'template') frame.braces += 1
    return 'bracket'
  }
  if ('}])'.includes(sign)) {
    state.brackets = state.brackets.slice(0, -1)
    if (sign === '}' && frame?.kind === 'template') frame.braces -= 1
    return 'bracket'
  }
  state.afterDot = sign === '.' && !stream.match(/^\./)
  return sign === '.' || sign === ',' ? 'punctuation' : 'operator'
}
