/**
 * The same state with another serial, and another lineage if one is given. Replaces only the number of the
 * top-level `serial` and the text of `lineage`: parsing and printing the whole would round its large
 * numbers. Scanned by hand, because a regular expression over megabytes overflows the engine's stack.
 */
export function withSerial(state: string, serial: number, lineage?: string): string {
  let depth = 0
  let written = ''
  let from = 0
  for (let at = 0; at < state.length; at += 1) {
    const character = state[at]
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    else if (character === '"') {
      const end = endOfString(state, at)
      const name = depth === 1 ? state.slice(at, end) : ''
      const value = /\s*:\s*/y
      value.lastIndex = end
      if ((name === '"serial"' || name === '"lineage"') && value.test(state)) {
        const start = value.lastIndex
        const isSerial = name === '"serial"'
        const after = isSerial ? endOfDigits(state, start) : endOfText(state, start)
        const mark = isSerial ? String(serial) : lineage && JSON.stringify(lineage)
        if (after > start && mark !== undefined) {
          written += state.slice(from, start) + mark
          from = after
        }
      }
      at = end - 1
    }
  }
  return written + state.slice(from)
}

function endOfDigits(state: string, start: number): number {
  const digits = /\d[\d.eE+-]*/y
  digits.lastIndex = start
  return digits.test(state) ? digits.lastIndex : start
}

const endOfText = (state: string, start: number): number =>
  state[start] === '"' ? endOfString(state, start) : start

/** The index after the closing quote: the first one preceded by an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at > 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
  return text.length
}
