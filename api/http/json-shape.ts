export const maxJsonDepth = 32

const quote = 0x22
const backslash = 0x5c
const [braceOpen, braceClose, bracketOpen, bracketClose] = [0x7b, 0x7d, 0x5b, 0x5d]
const [comma, colon] = [0x2c, 0x3a]

/** Few keys are compared one by one; a set is for the object that somebody makes large. */
const fewKeys = 8

type Level = { keys: string[]; many: Set<string> | undefined; last: string } | undefined

/**
 * What is wrong with the shape of a JSON text: depth, duplicate keys, keys that reach a
 * prototype. One pass that builds nothing; strings, the bulk of a body, are jumped over
 * by the engine's own search. What is not JSON is left for the parser to name.
 */
export function faultOfShape(text: string): string | undefined {
  const levels: Level[] = []
  let expectsKey = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (end < 0) return undefined
      const level = levels.at(-1)
      if (expectsKey && level) {
        const fault = addKey(level, text.slice(at, end + 1))
        if (fault) return fault
      }
      at = end
    } else if (code === braceOpen || code === bracketOpen) {
      // A text of that name is a file's or a variable's; what has fields of its own leads to a prototype.
      if (levels.at(-1)?.last === 'constructor') return 'has fields in a field named constructor'
      if (levels.length === maxJsonDepth) return `is nested deeper than ${maxJsonDepth} levels`
      levels.push(code === braceOpen ? { keys: [], many: undefined, last: '' } : undefined)
      expectsKey = code === braceOpen
    } else if (code === braceClose || code === bracketClose) {
      levels.pop()
      expectsKey = false
    } else if (code === comma) expectsKey = levels.at(-1) !== undefined
    else if (code === colon) expectsKey = false
  }
  return undefined
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return -1
}

function addKey(level: NonNullable<Level>, quoted: string): string | undefined {
  const key = quoted.includes('\\') ? unescaped(quoted) : quoted.slice(1, -1)
  if (key === '__proto__') return `has a field named ${key}`
  level.last = key
  const { keys } = level
  if (level.many ? level.many.has(key) : keys.includes(key)) return 'has one field twice'
  if (level.many) level.many.add(key)
  else if (keys.push(key) > fewKeys) level.many = new Set(keys)
  return undefined
}

/** As the parser will read it: an escape must not hide a duplicate or a prototype's name. */
function unescaped(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}
