import { Composer, Lexer, LineCounter, Parser, type Document } from 'yaml'
import { manifestLimits } from './manifest-limits.ts'
import { isOpenQuote, openQuote, syntaxFault, tooDeep, type TextFault } from './syntax-fault.ts'

export type ReadText = { lines: LineCounter; faults: TextFault[]; document?: Document.Parsed }

/**
 * Reads one YAML 1.2 document. The text is cut into tokens first and counted, because the parser takes
 * two seconds for 256 KiB of commas. Duplicate keys are left to `toPlain`: the parser compares each key
 * with each other.
 */
export function readYaml(text: string): ReadText {
  // The parser makes an error object for each fault, and the stack of each took 90 % of the time.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return read(text)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function read(text: string): ReadText {
  const lines = linesOf(text)
  const early = earlyFault(text, lines)
  if (early) return { lines, faults: [early] }
  const parser = new Parser()
  const composer = new Composer({ uniqueKeys: false, stringKeys: true, merge: false })
  const documents: Document.Parsed[] = []
  const faults: TextFault[] = []
  let unexpected = 0
  const compose = (tokens: ReturnType<Parser['next']>) => {
    for (const token of tokens) {
      if (token.type === 'error') unexpected += 1
      if (token.type === 'directive')
        faults.push({
          offset: token.offset,
          message: 'a directive is refused: remove the line, a manifest is YAML 1.2',
        })
      else documents.push(...composer.next(token))
    }
  }
  const count = countTokens()
  let lastQuote = 0
  for (const lexeme of new Lexer().lex(text)) {
    const message = count(lexeme)
    if (message) return { lines, faults: [{ offset: parser.offset, message }] }
    if (/^["']/.test(lexeme)) lastQuote = parser.offset
    compose(parser.next(lexeme))
    // The rest is no YAML either, and each sign of it would be a fault.
    if (unexpected > toldErrors) break
  }
  compose(parser.end())
  documents.push(...composer.end())
  const [document, second] = documents
  const errors = document?.errors ?? []
  // An open quote takes the rest of the text, so nothing else is worth telling.
  if (errors.some(isOpenQuote))
    return { lines, faults: [{ offset: lastQuote, message: openQuote }] }
  for (const error of errors.slice(0, toldErrors)) faults.push(syntaxFault(error, text))
  if (second) faults.push({ offset: second.range[0], message: oneDocument })
  return { lines, faults, ...(document && { document }) }
}

/** Those after the first few mostly follow from them. */
const toldErrors = 5

/** Says which limit a token passes, before the parser sees it. */
function countTokens(): (lexeme: string) => string | undefined {
  let [tokens, levels] = [0, 0]
  let isText = false
  return (lexeme) => {
    tokens += 1
    if (!isText && (lexeme === '[' || lexeme === '{')) levels += 1
    if (!isText && (lexeme === ']' || lexeme === '}')) levels -= 1
    isText = lexeme === textFollows
    if (levels > manifestLimits.levels) return tooDeep
    return tokens > manifestLimits.tokens ? tooManyTokens : undefined
  }
}

/** The lexer's mark before a text, which may itself be a bracket. */
const textFollows = '\u001f'

const tooManyTokens = `a manifest has at most ${manifestLimits.tokens} words and signs, and this is where it has more: move scripts and lists into files of the repository`
const oneDocument =
  'a second document begins here, and a manifest is one: remove the "---" and what belongs to another file'

/** Counted here, because the parser leaves out the lines of a text that it does not expect. */
function linesOf(text: string): LineCounter {
  const lines = new LineCounter()
  lines.addNewLine(0)
  if (text.length > manifestLimits.bytes) return lines
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
    lines.addNewLine(at + 1)
  return lines
}

/** What is told before the text is read. */
function earlyFault(text: string, { lineStarts }: LineCounter): TextFault | undefined {
  if (Buffer.byteLength(text) > manifestLimits.bytes) return { offset: 0, message: tooLarge }
  const past = lineStarts[manifestLimits.lines]
  if (past !== undefined && past < text.length) return { offset: past, message: tooManyLines }
  // YAML 1.2.2, 5.1: what is not printable is written as an escape.
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.exec(text)
  if (!control) return undefined
  const code = control[0].charCodeAt(0).toString(16).padStart(4, '0')
  return {
    offset: control.index,
    message: `the control character U+${code.toUpperCase()} is refused: remove it, or write "\\u${code}" in double quotes`,
  }
}

const tooLarge = `the manifest has more than ${manifestLimits.bytes / 1_024} KiB: move scripts into files of the repository`
const tooManyLines = `a manifest has at most ${manifestLimits.lines} lines: move scripts into files of the repository`
