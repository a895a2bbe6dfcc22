/**
 * The same state under another serial. Only the digits of the top-level `serial` are
 * exchanged: to parse and print the whole would round the large numbers in it.
 */
export function withSerial(state: string, serial: number): string {
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]]|-?\d[\d.eE+-]*/gs
  let depth = 0
  let key: string | undefined
  return state.replaceAll(token, (part: string, at: number) => {
    if (part === '{' || part === '[') depth += 1
    else if (part === '}' || part === ']') depth -= 1
    else if (depth === 1 && part.startsWith('"')) {
      key = isKey(state, at + part.length) ? part : undefined
      return part
    } else if (depth === 1 && key === '"serial"') return String(serial)
    if (depth === 1) key = undefined
    return part
  })
}

function isKey(state: string, from: number): boolean {
  const colon = /\s*:/y
  colon.lastIndex = from
  return colon.test(state)
}
