import { median } from '../../domain/finops/anomalies/robust.ts'
import { guard, type Detector } from './detectors.ts'

export type Baseline = { name: string; detector: Detector }

type Rule = (history: readonly number[], amount: number) => { threshold: number; expected: number }

/** A rule over the last `window` days: flags what is above its threshold and above the common guard. */
const byRule =
  (window: number, rule: Rule): Detector =>
  ({ amounts }) =>
    amounts.slice(0, -1).map((amount, index) => {
      if (index < window) return false
      const { threshold, expected } = rule(amounts.slice(index - window, index), amount)
      return (
        amount > threshold && amount - expected >= Math.max(guard.minimum, guard.share * expected)
      )
    })

const meanAndDeviation = (values: readonly number[]) => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, deviation: Math.sqrt(squares / values.length) }
}

const families: Record<string, (window: number, k: number) => Rule> = {
  'mean + k·sd': (_, k) => (history) => {
    const { mean, deviation } = meanAndDeviation(history)
    return { threshold: mean + k * deviation, expected: mean }
  },
  'median + k·MAD': (_, k) => (history) => {
    const middle = median(history)
    const spread = 1.4826 * median(history.map((value) => Math.abs(value - middle)))
    return { threshold: middle + k * spread, expected: middle }
  },
  // OptScale: today above the mean of the last days by so many percent.
  'OptScale (mean × (1 + k))': (_, k) => (history) => {
    const { mean } = meanAndDeviation(history)
    return { threshold: mean * (1 + k), expected: mean }
  },
  // SundaySky's moneypenny: above the mean by k deviations, by a quarter, and by $10.
  'moneypenny (mean + k·sd, × 1.25, $10)': (_, k) => (history) => {
    const { mean, deviation } = meanAndDeviation(history)
    return { threshold: Math.max(mean + k * deviation, mean * 1.25, mean + 10), expected: mean }
  },
}

const sweeps: Record<string, { windows: number[]; ks: number[] }> = {
  'mean + k·sd': { windows: [14, 30, 60], ks: [2, 3, 4, 5, 6, 7, 8] },
  'median + k·MAD': { windows: [7, 14, 30, 60], ks: [3, 3.5, 5, 7, 10, 14, 20] },
  'OptScale (mean × (1 + k))': { windows: [7, 14, 30], ks: [0.3, 0.5, 0.75, 1, 1.5] },
  'moneypenny (mean + k·sd, × 1.25, $10)': { windows: [14, 30, 60], ks: [2, 3, 4, 5, 6, 7] },
}

/** Every rule that others use, with every setting that might suit it. */
export const baselines: Record<string, Baseline[]> = Object.fromEntries(
  Object.entries(families).map(([name, family]) => {
    const { windows = [], ks = [] } = sweeps[name] ?? {}
    const settings = windows.flatMap((window) =>
      ks.map((k) => ({
        name: `${name}: ${window} days, k ${k}`,
        detector: byRule(window, family(window, k)),
      })),
    )
    return [name, settings]
  }),
)
