import { median } from './robust.ts'

const weeks = 8
const lowest = 0.05

/**
 * The share of each weekday beside the week around it; index 0 is the weekday of the next day, 1 the one
 * after. Each day is compared with seven days that include it, so a level that changes leaves the shares
 * as they are. Shrunk towards 1 by how much weekdays differ among themselves: noise makes no pattern.
 */
export function weekdayRatios(values: readonly number[]): number[] {
  const from = Math.max(0, values.length - weeks * 7)
  const counts = new Uint8Array(7)
  for (let i = from; i < values.length; i++) {
    const start = Math.max(from, Math.min(i - 3, values.length - 7))
    let sum = 0
    for (let j = start; j < start + 7; j++) sum += values[j] ?? 0
    if (!(sum > 0)) continue
    const day = positionOf(values.length, i)
    const count = counts[day] ?? 0
    ratiosOf[day * weeks + count] = ((values[i] ?? 0) * 7) / sum
    counts[day] = count + 1
  }
  const medians = Array.from(counts, (count, day) =>
    count > 0 ? median(ratiosOf, day * weeks, day * weeks + count) : 1,
  )
  const mean = medians.reduce((sum, ratio) => sum + ratio, 0) / 7
  if (!(mean > 0)) return medians.map(() => 1)
  const trust = trustIn(counts, medians)
  return medians.map((ratio) => Math.max(lowest, 1 + trust * (ratio / mean - 1)))
}

/** The ratios of each weekday, `weeks` places each: memory that each call overwrites, since each day of a series asks. */
const ratiosOf = new Float64Array(7 * weeks)
const misses = new Float64Array(7 * weeks)

const positionOf = (length: number, index: number): number => (7 - ((length - index) % 7)) % 7

/** 0 where the weekdays differ by no more than the noise of their medians, near 1 where they clearly do. */
function trustIn(counts: Uint8Array, medians: readonly number[]): number {
  let missed = 0
  for (let day = 0; day < 7; day++)
    for (let n = 0; n < (counts[day] ?? 0); n++) {
      misses[missed] = Math.abs((ratiosOf[day * weeks + n] ?? 0) - (medians[day] ?? 1))
      missed += 1
    }
  const noise = median(misses, 0, missed)
  const count = Math.min(...counts)
  if (count === 0) return 0
  const ofMedians = ((1.4826 * noise) ** 2 * 1.57) / count
  const between = medians.reduce((sum, ratio) => sum + (ratio - 1) ** 2, 0) / 6
  const shrunk = between > 0 ? Math.max(0, 1 - ofMedians / between) : 0
  return (shrunk * count) / (count + 0.5)
}
