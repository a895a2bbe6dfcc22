import { setImmediate } from 'node:timers/promises'
import { fitsAnyGlob } from '../../domain/pipelines/fits-glob.ts'
import { countTurns } from './count-turns.ts'

/** Git hosts take no longer ones. A longer path starts a run, for all that is known of it. */
const maxPathLength = 1_024
/** Comparisons of two characters, some nanoseconds each. */
const maxSteps = 200_000_000

/**
 * Whether a path fits a pattern. Patterns and paths are people's: fifty patterns and three hundred files that were
 * made for it took minutes, in which the worker answered nobody. What takes too long starts a run.
 */
export async function fitAny(
  patterns: readonly string[],
  paths: readonly string[],
): Promise<boolean> {
  const length = lengthOf(patterns)
  const takeTurns = countTurns()
  let steps = 0
  for (const path of paths) {
    if (path.length > maxPathLength || steps > maxSteps || fitsAnyGlob(patterns, path)) return true
    steps += path.length * length
    await takeTurns(path.length * length)
  }
  return false
}

/**
 * The names that fit a pattern. The caller limits their length. Fifty tags of a delivery that were made for the
 * patterns took a quarter of a second, again for each pipeline of a connection. So there is a turn at the end too: the
 * next pipeline follows.
 */
export async function namesThatFit(
  patterns: readonly string[],
  names: readonly string[],
): Promise<string[]> {
  if (patterns.length === 0 || names.length === 0) return []
  const length = lengthOf(patterns)
  const takeTurns = countTurns()
  const fitting: string[] = []
  for (const name of names) {
    if (fitsAnyGlob(patterns, name)) fitting.push(name)
    await takeTurns(name.length * length)
  }
  await setImmediate()
  return fitting
}

const lengthOf = (patterns: readonly string[]): number =>
  patterns.reduce((sum, pattern) => sum + pattern.length, 0)
