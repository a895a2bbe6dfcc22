const quietMs = 10_000
const warning = 40

/**
 * Shows a part's warnings and errors on the terminal. Other lines are only in its log file. The same
 * text is shown once in ten seconds: an unreachable database would repeat it for each query.
 */
export function showLogLine(part: string, say: (line: string) => void): (line: string) => void {
  const shown = new Map<string, number>()
  return (line) => {
    const text = warningOf(line)
    if (!text) return
    const now = Date.now()
    for (const [seen, at] of shown) if (now - at > quietMs) shown.delete(seen)
    if (shown.has(text)) return
    shown.set(text, now)
    say(`${part}: ${text}`)
  }
}

function warningOf(line: string): string | undefined {
  if (!line.startsWith('{')) return line.trim() ? line.slice(0, 500) : undefined
  try {
    // Pino's format. Lines without a numeric level are not shown.
    const entry = JSON.parse(line) as {
      level?: number
      msg?: string
      err?: { message?: string; stack?: string }
    }
    if (typeof entry.level !== 'number' || entry.level < warning) return undefined
    const cause = entry.err?.message
    return `${entry.level > warning ? 'error' : 'warning'}: ${entry.msg ?? ''}${cause ? ` (${cause})` : ''}`.slice(
      0,
      500,
    )
  } catch {
    return undefined
  }
}
