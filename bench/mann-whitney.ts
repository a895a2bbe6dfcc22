/**
 * Two-sided p of the Mann-Whitney U test: the probability that two samples of the same distribution
 * differ at least this much. Uses the normal approximation with the correction for ties, which is
 * accurate from about twenty values a side.
 */
export function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const all = [
    ...a.map((value) => ({ value, ofA: true })),
    ...b.map((value) => ({ value, ofA: false })),
  ]
  all.sort((x, y) => x.value - y.value)
  const n = all.length
  let rankSumOfA = 0
  let ties = 0
  for (let from = 0; from < n;) {
    let to = from
    while (to < n && all[to]?.value === all[from]?.value) to += 1
    const size = to - from
    // Equal values share the mean of their ranks, which are from + 1 to `to`.
    const rank = (from + 1 + to) / 2
    for (const { ofA } of all.slice(from, to)) if (ofA) rankSumOfA += rank
    ties += size ** 3 - size
    from = to
  }
  const u = rankSumOfA - (a.length * (a.length + 1)) / 2
  const mean = (a.length * b.length) / 2
  const variance = ((a.length * b.length) / 12) * (n + 1 - ties / (n * (n - 1)))
  if (variance === 0) return 1
  const z = Math.max(0, Math.abs(u - mean) - 0.5) / Math.sqrt(variance)
  return complementaryError(z / Math.SQRT2)
}

/** Numerical Recipes' erfc: relative error below 1.2e-7. */
function complementaryError(x: number): number {
  const t = 1 / (1 + x / 2)
  const coefficients = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398,
    1.48851587, -0.82215223, 0.17087277,
  ]
  const sum = coefficients.reduceRight((total, coefficient) => total * t + coefficient, 0)
  return t * Math.exp(-x * x + sum)
}
