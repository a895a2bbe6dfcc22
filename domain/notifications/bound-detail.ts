const longestText = 1_000
const mostEntries = 50
const deepest = 4

/** Cuts what a bill or a cloud may have made long, so that no message is refused for its size. */
export function boundDetail(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cutText(value, longestText)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return null
  if (Array.isArray(value))
    return value.slice(0, mostEntries).map((one) => boundDetail(one, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, mostEntries)
      .map(([name, one]) => [name, boundDetail(one, depth + 1)]),
  )
}

/** At most `length` UTF-16 code units, with an ellipsis where it was longer; never half of a surrogate pair. */
export function cutText(text: string, length: number): string {
  const whole = text.toWellFormed()
  if (whole.length <= length) return whole
  const cut = whole.slice(0, length - 1)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}
