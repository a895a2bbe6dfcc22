export type JsonPosition = { line: number; column: number }

const space = /[ \t\n\r]*/y
// oxlint-disable-next-line no-control-regex -- JSON refuses them in strings
const string = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

/**
 * Where a text stops being JSON, from 1: the parser's own message has a position for some faults
 * alone. For a text that the parser refused, with bounded depth.
 */
export function jsonPosition(text: string): JsonPosition {
  const before = text.slice(0, endOfJson(text))
  const line = before.split('\n').length
  return { line, column: before.length - before.lastIndexOf('\n') }
}

/** The offset of the first character that cannot continue a JSON text. */
function endOfJson(text: string): number {
  const open: string[] = []
  let at = 0
  let expects: 'value' | 'first value' | 'first key' | 'key' | 'colon' | 'more' = 'value'
  const take = (token: RegExp): boolean => {
    token.lastIndex = at
    const found = token.test(text)
    if (found) at = token.lastIndex
    return found
  }
  for (;;) {
    take(space)
    const next = text[at] ?? ''
    if (expects === 'colon') {
      if (next !== ':') return at
      at += 1
      expects = 'value'
    } else if (expects === 'more') {
      const closes = open.at(-1)
      if (closes !== undefined && next === closes) open.pop()
      else if (closes !== undefined && next === ',') expects = closes === '}' ? 'key' : 'value'
      else return at
      at += 1
    } else if (
      (expects === 'first key' && next === '}') ||
      (expects === 'first value' && next === ']')
    ) {
      open.pop()
      at += 1
      expects = 'more'
    } else if (expects === 'first key' || expects === 'key') {
      if (!take(string)) return at
      expects = 'colon'
    } else if (next === '{' || next === '[') {
      open.push(next === '{' ? '}' : ']')
      at += 1
      expects = next === '{' ? 'first key' : 'first value'
    } else if (take(string) || take(scalar)) expects = 'more'
    else return at
  }
}
