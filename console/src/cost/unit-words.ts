import { unitMoney } from './money.ts'
import type { ListedUnit, UnitCost } from './queries.ts'

type Total = Pick<UnitCost['total'], 'value' | 'costPerUnit' | 'measured'>
type Day = Pick<UnitCost['days'][number], 'value' | 'costPerUnit' | 'isComplete'>

/** `$0.12 an order` needs to know how a word sounds, so: `$0.12 per order`. */
export const perUnit = (
  amount: number,
  { unit, currency }: { unit: string; currency: string },
): string => `${unitMoney(amount, currency)} per ${unit}`

/** The cost per unit, or why there is none. */
export function totalInWords(
  { value, costPerUnit, measured }: Total,
  of: { unit: string; currency: string },
): string {
  if (costPerUnit !== null) return perUnit(costPerUnit, of)
  if (value === null) return 'No values'
  if (measured.days === 0) return 'No complete day with a value'
  return `No ${of.unit} in this period`
}

export const daysInWords = ({ measured: { days } }: Pick<Total, 'measured'>): string =>
  days === 1
    ? 'on 1 complete day with a value'
    : `on ${days.toLocaleString('en')} complete days with a value`

/** Of one day. While its bills are not complete, the cost of one would be too high or too low. */
export function dayInWords(
  { value, costPerUnit, isComplete }: Day,
  wordsOf: (costPerUnit: number) => string,
): string {
  if (value === null) return 'none'
  if (!isComplete) return 'not complete'
  return costPerUnit === null ? 'none' : wordsOf(costPerUnit)
}

/** Numbers of units can be any: orders, or gigabytes with decimals. */
export const valueInWords = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: 12 })

export const isMeasured = ({ last30Days }: ListedUnit): boolean => last30Days.measured.days > 0
