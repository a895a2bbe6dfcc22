/** Where a line and a column, both from 1, are in a text. Beyond its end it is the end. */
export function offsetAt(text: string, line: number, column: number): number {
  let start = 0
  for (let n = 1; n < line; n += 1) {
    const end = text.indexOf('\n', start)
    if (end < 0) return text.length
    start = end + 1
  }
  const end = text.indexOf('\n', start)
  return Math.min(start + Math.max(0, column - 1), end < 0 ? text.length : end)
}
