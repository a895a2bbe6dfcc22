/** The median; 0 of nothing. Sorts a copy. */
export function median(values: ArrayLike<number>): number {
  const count = values.length
  if (count === 0) return 0
  const sorted = Float64Array.from(values).toSorted()
  const middle = count >> 1
  const upper = sorted[middle] ?? 0
  return count % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2
}

/** The value at this share of the sorted values, by the nearest rank; 0 of nothing. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? 0
}
