export type SourceExtent = {
  /** The first day of the month of its newest bill; null before the first. */
  newest: string | null
  completeThrough: string | null
}

/**
 * The day up to which all sources are complete. One whose newest bill is over a month older than the newest
 * of all no longer delivers, and would hold the day back for ever.
 */
export function sourcesCompleteThrough(sources: readonly SourceExtent[]): string | null {
  const months = sources.flatMap(({ newest }) => newest ?? [])
  const newest = new Date(months.toSorted().at(-1) ?? 0)
  newest.setUTCMonth(newest.getUTCMonth() - 1)
  const since = newest.toISOString().slice(0, 10)
  const days = sources
    .filter((source) => source.newest !== null && source.newest >= since)
    .map(({ completeThrough }) => completeThrough)
  const known = days.filter((day) => day !== null)
  return known.length < days.length ? null : (known.toSorted()[0] ?? null)
}
