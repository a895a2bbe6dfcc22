import { setImmediate } from 'node:timers/promises'
import { fits, namesOf, parseGlob, type Tally } from '../../domain/pipelines/fits-glob.ts'

/** Git hosts take no longer ones. A longer path starts a run, for all that is known of it. */
const maxPathLength = 1_024
/** Comparisons of two characters: of all paths, some 60 ms, and until others have a turn, some 3 ms. */
const maxSteps = 10_000_000
const stepsOfTurn = 500_000

/**
 * Whether a path fits a pattern. Patterns and paths are people's: fifty patterns and three hundred files that were
 * made for it took minutes, in which the worker answered nobody. What takes too long starts a run.
 */
export async function fitAny(
  patterns: readonly string[],
  paths: readonly string[],
): Promise<boolean> {
  const matcher = pathMatcher(patterns)
  for (const path of paths)
    if (
      path.length > maxPathLength ||
      matcher.tally.steps > maxSteps ||
      (await matcher.fitsAny(path))
    )
      return true
  return false
}

export type PathMatcher = {
  /** What it has taken until now. */
  tally: Tally
  fitsAny(path: string): Promise<boolean>
}

/** Compares one path after the other with the same patterns. Others have turns between patterns too, not only between paths. */
export function pathMatcher(patterns: readonly string[]): PathMatcher {
  const globs = patterns.map(parseGlob)
  const tally = { steps: 0 }
  let endOfTurn = stepsOfTurn
  return {
    tally,
    async fitsAny(path) {
      const names = namesOf(path)
      tally.steps += path.length
      for (const glob of globs) {
        if (tally.steps > endOfTurn) {
          await setImmediate()
          endOfTurn = tally.steps + stepsOfTurn
        }
        if (fits(glob, names, tally)) return true
      }
      return false
    },
  }
}
