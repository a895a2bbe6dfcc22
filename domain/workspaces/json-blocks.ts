import { maxNesting, type FoundBlock } from './found-block.ts'

const quote = 34
const comma = 44
const colon = 58
const openList = 91
const backslash = 92
const closeList = 93
const open = 123
const close = 125
const beforeColon = /\s*:/y

/** Which part of the document a JSON value is: all of it, a `terraform` block, or anything else. */
type Part = 'document' | 'terraform' | 'other'
type Level = { isObject: boolean; part: Part }

/**
 * HCL's JSON keeps duplicate properties, decodes their names, and reads a list of objects as several
 * blocks, so JSON.parse would lose what OpenTofu reads.
 */
export function blocksInJson(text: string, types: readonly string[]): FoundBlock[] | 'too deep' {
  const found: FoundBlock[] = []
  const stack: Level[] = []
  let part: Part = 'document'
  let at = 0
  while (at < text.length) {
    if (stack.length > maxNesting) return 'too deep'
    const code = text.charCodeAt(at)
    if (code === open || code === openList)
      stack.push(levels[part][code === open ? 'object' : 'list'])
    else if (code === close || code === closeList) stack.pop()
    else if (code === comma) part = stack.at(-1)?.part ?? part
    if (code !== quote) {
      at += 1
      continue
    }
    const end = endOfText(text, at)
    const top = stack.at(-1)
    // Below other parts no name means anything.
    if (top?.isObject && isNameBefore(text, end)) {
      const name = top.part === 'other' ? '' : decode(text.slice(at, end))
      if (top.part === 'terraform' && types.includes(name)) found.push({ type: name, at })
      part = top.part === 'document' && name === 'terraform' ? 'terraform' : 'other'
    }
    at = end
  }
  return found
}

const levels = Object.fromEntries(
  (['document', 'terraform', 'other'] as const).map((part) => [
    part,
    { object: { isObject: true, part }, list: { isObject: false, part } },
  ]),
) as Record<Part, Record<'object' | 'list', Level>>

/** Whether a colon follows, so that the text before it is a name. */
function isNameBefore(text: string, end: number): boolean {
  if (text.charCodeAt(end) === colon) return true
  beforeColon.lastIndex = end
  return beforeColon.test(text)
}

/** The place behind the closing quote. */
function endOfText(text: string, start: number): number {
  let at = start + 1
  for (let code = text.charCodeAt(at); at < text.length && code !== quote;) {
    at += code === backslash ? 2 : 1
    code = text.charCodeAt(at)
  }
  return Math.min(at + 1, text.length)
}

function decode(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted.slice(1, -1)
  }
}
