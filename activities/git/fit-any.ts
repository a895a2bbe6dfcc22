import { setImmediate } from 'node:timers/promises'
import { fitsAnyGlob } from '../../domain/pipelines/fits-glob.ts'

/** Git hosts take no longer ones. A longer path starts a run, for all that is known of it. */
const maxPathLength = 1_024
/** Comparisons of two characters, some nanoseconds each: of all paths, and until others have a turn. */
const maxSteps = 200_000_000
const stepsOfTurn = 4_000_000

/**
 * Whether a path fits a pattern. Patterns and paths are people's: fifty patterns and three hundred files that were
 * made for it took minutes, in which the worker answered nobody. What takes too long starts a run.
 */
export async function fitAny(
  patterns: readonly string[],
  paths: readonly string[],
): Promise<boolean> {
  const length = patterns.reduce((sum, pattern) => sum + pattern.length, 0)
  let [steps, turn] = [0, 0]
  for (const path of paths) {
    if (path.length > maxPathLength || steps > maxSteps || fitsAnyGlob(patterns, path)) return true
    steps += path.length * length
    turn += path.length * length
    if (turn < stepsOfTurn) continue
    await setImmediate()
    turn = 0
  }
  return false
}
