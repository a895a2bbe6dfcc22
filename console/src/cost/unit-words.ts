import { unitMoney } from './money.ts'
import type { ListedUnit, UnitCost } from './queries.ts'

type Total = Pick<UnitCost['total'], 'costPerUnit' | 'measured'>

/** `$0.12 an order` needs to know how a word sounds, so: `$0.12 per order`. */
export const perUnit = (
  amount: number,
  { unit, currency }: { unit: string; currency: string },
): string => `${unitMoney(amount, currency)} per ${unit}`

/** The cost per unit, or why there is none. */
export function totalInWords(
  { costPerUnit, measured }: Total,
  of: { unit: string; currency: string },
): string {
  if (costPerUnit !== null) return perUnit(costPerUnit, of)
  if (measured.days === 0) return 'No values yet'
  return `No ${of.unit} in this period`
}

export const daysInWords = ({ measured: { days } }: Pick<Total, 'measured'>): string =>
  days === 1 ? 'on 1 day with a value' : `on ${days.toLocaleString('en')} days with a value`

/** Numbers of units can be any: orders, or gigabytes with decimals. */
export const valueInWords = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: 12 })

export const isMeasured = ({ last30Days }: ListedUnit): boolean => last30Days.measured.days > 0
