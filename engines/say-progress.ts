const everyMs = 15_000

/** Reports a step, and repeats it every 15 seconds with the time so far. */
export function sayProgress(say: (line: string) => void, what: string): { end(): void } {
  const begunAt = Date.now()
  say(what)
  const timer = setInterval(
    () => say(`${what} … ${Math.round((Date.now() - begunAt) / 1_000)} s`),
    everyMs,
  )
  return { end: () => clearInterval(timer) }
}
