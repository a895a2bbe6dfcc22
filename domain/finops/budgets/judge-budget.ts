import type { Budget, BudgetFigures, BudgetState } from './budget.ts'

/** The state of a budget now, and the one that its forecast leads to by the end of the month. */
export function judgeBudget(
  budget: Pick<Budget, 'amountMonthly' | 'threshold'>,
  {
    actual,
    unknownBecause,
    forecast,
  }: Pick<BudgetFigures, 'actual' | 'unknownBecause' | 'forecast'>,
): { state: BudgetState; forecastState: BudgetState | null } {
  const amount = unitsOf(budget.amountMonthly)
  // Both have units of 1e-12.
  const warnsAt = amount * unitsOf(budget.threshold)
  const reaches = (units: bigint): BudgetState =>
    units >= amount ? 'exceeded' : units * one >= warnsAt ? 'warn' : 'ok'

  const forecastUnits = forecast && unitsOf(forecast.amount.toFixed(decimals))
  const forecastState = forecastUnits === null ? null : reaches(forecastUnits)
  const state = reaches(unitsOf(actual))
  // What is missing adds to the known part: a bill of another source that is late must not silence it.
  if (unknownBecause !== null && state !== 'exceeded') return { state: 'unknown', forecastState }
  const warns = state === 'ok' && forecastState === 'exceeded'
  return { state: warns ? 'warn' : state, forecastState }
}

const decimals = 12
const one = 10n ** BigInt(decimals)

/**
 * Exact, in units of 1e-12. Takes more digits than `parseDecimal`: sums of a hostile bill may have them,
 * and they must not make every answer with a budget fail.
 */
function unitsOf(text: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,12}))?$/.exec(text)
  // `toFixed` writes numbers from 1e21 on with an exponent.
  if (!match) return BigInt(Math.round(Number(text))) * one
  const [, sign, whole = '', fraction = ''] = match
  const units = BigInt(whole + fraction.padEnd(decimals, '0'))
  return sign ? -units : units
}
