/**
 * The same state under another serial. Only the digits of the top-level `serial` are
 * exchanged: to parse and print the whole would round the large numbers in it. Read by
 * hand, because a pattern over a string of megabytes overflows the engine's stack.
 */
export function withSerial(state: string, serial: number): string {
  let depth = 0
  let written = ''
  let from = 0
  for (let at = 0; at < state.length; at += 1) {
    const character = state[at]
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    else if (character === '"') {
      const end = endOfString(state, at)
      const value = /\s*:\s*(?=\d)/y
      value.lastIndex = end
      if (depth === 1 && state.slice(at, end) === '"serial"' && value.test(state)) {
        written += state.slice(from, value.lastIndex) + String(serial)
        const digits = /\d+/y
        digits.lastIndex = value.lastIndex
        digits.test(state)
        from = digits.lastIndex
      }
      at = end - 1
    }
  }
  return written + state.slice(from)
}

/** The place after the closing quote: the first one that an even number of backslashes stands before. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at > 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
  return text.length
}
