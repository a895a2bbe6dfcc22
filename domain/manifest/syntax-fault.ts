import type { YAMLParseError } from 'yaml'
import { manifestLimits } from './manifest-limits.ts'

/** A fault at an offset of the text. */
export type TextFault = { offset: number; message: string }

export const tooDeep = `this is nested too deep: a manifest has at most ${manifestLimits.levels} levels`

type Code = YAMLParseError['code']

/** What is wrong and what to do, by the parser's code. */
const words: Partial<Record<Code, string>> = {
  TAB_AS_INDENT: 'a tab indents this line: indent by spaces',
  BAD_SCALAR_START: 'a plain text cannot begin with this character: put the text in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a list or an object begins on the line of another key: put it on its own line, or the text in quotes',
  BLOCK_IN_FLOW:
    'a list with "-" or an object by lines cannot be inside of [ ] or { }: write it with [ ] or { }',
  BAD_DQ_ESCAPE:
    'no such escape in double quotes: write "\\\\" for a backslash, or use single quotes',
  MULTILINE_IMPLICIT_KEY:
    'a key goes over several lines: put it on one line, or end the text before it',
  KEY_OVER_1024_CHARS: 'a key has more than 1024 characters: shorten it',
  MULTIPLE_ANCHORS: 'a value has two anchors: remove one',
  MULTIPLE_TAGS: 'a value has two tags: remove both, a manifest has no tags',
  NON_STRING_KEY: 'a key is a list, an object or an alias: write it as a plain text',
  ALIAS_PROPS: 'an alias has an anchor or a tag: remove it',
  BAD_ALIAS:
    'this anchor or alias has no name, or ends in ":": give it a name, and a space before ":"',
  RESOURCE_EXHAUSTION: tooDeep,
  TAG_RESOLVE_FAILED: 'a tag is refused: remove it, and put a text in quotes',
  BAD_COLLECTION_TYPE: 'a tag is refused: remove it',
}

/** A fault of the parser, in a sentence that says what to do. */
export function syntaxFault(error: YAMLParseError, text: string): TextFault {
  const offset = Math.max(0, Math.min(error.pos[0], text.length))
  if (error.code !== 'BAD_INDENT') return { offset, message: words[error.code] ?? other(error) }
  // The parser says this of a bracket whose end it does not find, and else at the line's begin.
  if (error.message.startsWith('Flow')) return { offset, message: openBracket }
  const blanks = /^ */.exec(text.slice(offset, offset + 1_000))?.[0].length ?? 0
  return { offset: offset + blanks, message: badIndent }
}

const badIndent = 'this is indented by more or fewer spaces than what it belongs to: align it'
const openBracket = 'a "[" or "{" before this is not closed: close it, and indent what is between'
export const openQuote = 'this quote is not closed: close it, with the same sign'

export const isOpenQuote = ({ code, message }: YAMLParseError): boolean =>
  code === 'MISSING_CHAR' && /^Missing closing .quote/.test(message)

/** Of the other codes the parser's own text says which sign is missing, or what stands where. */
function other({ code, message }: YAMLParseError): string {
  const own = message.replaceAll(/\s+/g, ' ').slice(0, 200)
  if (code === 'MISSING_CHAR') return `a sign is missing: ${own}`
  if (code === 'UNEXPECTED_TOKEN')
    return `this is not expected here: ${own}; correct the indentation, the comma or the quotes before it`
  return `this is not YAML: ${own}`
}
