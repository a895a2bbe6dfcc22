import { sourcesCompleteThrough, type SourceExtent } from '../sources-complete-through.ts'

/** The bills of one source. */
export type ScopeSource = SourceExtent & { id: number; firstDay: string }

/**
 * From the first day of any bill to the day through which all that still come are complete. A day that was scored
 * stays so while any bill is complete through it: a source that is added late must not take back what was told.
 */
export function scopeDays(
  sources: readonly ScopeSource[],
  scoredThrough: string | null,
): { firstDay: string; through: string } | undefined {
  const firstDay = sources.map((source) => source.firstDay).toSorted()[0]
  const newest = sources
    .flatMap(({ completeThrough }) => completeThrough ?? [])
    .toSorted()
    .at(-1)
  if (firstDay === undefined || newest === undefined) return undefined
  const complete = sourcesCompleteThrough(sources)
  const known = scoredThrough !== null && scoredThrough > newest ? newest : scoredThrough
  const through = [complete, known]
    .flatMap((day) => day ?? [])
    .toSorted()
    .at(-1)
  return through === undefined || through < firstDay ? undefined : { firstDay, through }
}

/** For so many days the cost of a new source is its own news: none of its services is judged in the first half. */
export const sourceIsNewDays = 30
