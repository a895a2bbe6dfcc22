export type AnomalySeverity = 'low' | 'medium' | 'high'

type Measured = { impact: number; actual: number; high: number; expected: number }

/**
 * By the money first, in units of the least excess that is told: 20 times is medium, 100 times high. An
 * excess that is barely outside of its band is one step less.
 */
export function anomalySeverity(
  { impact, actual, high, expected }: Measured,
  minimum: number,
): AnomalySeverity {
  const times = impact / Math.max(1, minimum)
  const isClear = actual - expected >= 1.5 * (high - expected)
  if (times >= (isClear ? 100 : 1000)) return 'high'
  return times >= (isClear ? 20 : 100) ? 'medium' : 'low'
}
