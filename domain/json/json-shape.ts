export const maxJsonDepth = 32
/** Fields and items of a body together. A megabyte can hold 500,000, which take 0.3 s to read and to refuse. */
export const maxJsonMembers = 20_000

const quote = 0x22
const backslash = 0x5c
const [braceOpen, braceClose, bracketOpen, bracketClose] = [0x7b, 0x7d, 0x5b, 0x5d]
const [comma, colon] = [0x2c, 0x3a]

/** Up to so many keys are compared one by one; a set is for objects that an attacker makes large. */
const fewKeys = 8

/** Of a key's name in a refusal. */
const shownLength = 100

type Level = { keys: string[]; many: Set<string> | undefined; last: string } | undefined

/**
 * Checks the shape of a JSON text: depth, number of members, duplicate keys, keys that reach a prototype.
 * One pass without building values; strings, most of a body, are skipped by the runtime's own search. What
 * is no JSON is left to the parser.
 */
export function faultOfShape(text: string, maxMembers = maxJsonMembers): string | undefined {
  const parts = partsOfShape(text, maxMembers)
  for (;;) {
    const part = parts.next()
    if (part.done) return part.value
  }
}

/** Characters outside of strings, and escaped quotes in them, which take more: some 3 ms. */
const stepsOfPart = 250_000
const stepsOfQuote = 4

/** The same of a text of megabytes. It yields between parts, so that others can have their turn. */
export function* partsOfShape(
  text: string,
  maxMembers: number,
): Generator<void, string | undefined> {
  const levels: Level[] = []
  let expectsKey = false
  let members = 0
  let steps = 0
  for (let at = 0; at < text.length; at += 1) {
    steps += 1
    if (steps > stepsOfPart) {
      yield
      steps = 0
    }
    const code = text.charCodeAt(at)
    if (code === quote) {
      let end = text.indexOf('"', at + 1)
      while (end >= 0 && isEscaped(text, end)) {
        steps += stepsOfQuote
        if (steps > stepsOfPart) {
          yield
          steps = 0
        }
        end = text.indexOf('"', end + 1)
      }
      if (end < 0) return undefined
      const level = levels.at(-1)
      if (expectsKey && level) {
        const fault = addKey(level, text.slice(at, end + 1))
        if (fault !== undefined) return fault || undefined
      }
      at = end
    } else if (code === braceOpen || code === bracketOpen) {
      // As a plain value `constructor` is harmless; with fields of its own it reaches a prototype.
      if (levels.at(-1)?.last === 'constructor') return 'has fields in a field named constructor'
      if (levels.length === maxJsonDepth) return `is nested deeper than ${maxJsonDepth} levels`
      if ((members += 1) > maxMembers) return tooMany(maxMembers)
      levels.push(code === braceOpen ? { keys: [], many: undefined, last: '' } : undefined)
      expectsKey = code === braceOpen
    } else if (code === braceClose || code === bracketClose) {
      levels.pop()
      expectsKey = false
    } else if (code === comma) {
      if ((members += 1) > maxMembers) return tooMany(maxMembers)
      expectsKey = levels.at(-1) !== undefined
    } else if (code === colon) expectsKey = false
  }
  return undefined
}

const tooMany = (maxMembers: number): string =>
  `has more than ${maxMembers.toLocaleString('en')} fields and items`

/** Where the string that begins at `start` has its closing quote; -1 where it has none. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes += 1
  return slashes % 2 === 1
}

/** The fault of a key; empty where the text is no JSON, which the parser says. */
function addKey(level: NonNullable<Level>, quoted: string): string | undefined {
  const key = quoted.includes('\\') ? unescaped(quoted) : quoted.slice(1, -1)
  if (key === undefined) return ''
  if (key === '__proto__') return `has a field named ${key}`
  level.last = key
  const { keys } = level
  if (level.many ? level.many.has(key) : keys.includes(key))
    return `has the field ${JSON.stringify(key.slice(0, shownLength))} twice`
  if (level.many) level.many.add(key)
  else if (keys.push(key) > fewKeys) level.many = new Set(keys)
  return undefined
}

/** Unescapes a key as the parser will, so that an escape cannot hide a duplicate or `__proto__`. Undefined if it cannot. */
function unescaped(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return undefined
  }
}
