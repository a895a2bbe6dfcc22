const everyMs = 15_000

/** Says what has begun, and every 15 seconds that it still goes on: silence looks like a hang. */
export function sayProgress(say: (line: string) => void, what: string): { end(): void } {
  const begunAt = Date.now()
  say(what)
  const timer = setInterval(
    () => say(`${what} … ${Math.round((Date.now() - begunAt) / 1_000)} s`),
    everyMs,
  )
  return { end: () => clearInterval(timer) }
}
