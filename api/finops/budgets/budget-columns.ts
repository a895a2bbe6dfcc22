import { invalid, type ErrorDetail } from '../../../domain/errors.ts'
import type { CostScope } from '../../../domain/finops/cost-scope.ts'
import { formatDecimal, parseDecimal } from '../../../domain/finops/decimal.ts'
import type { NewBudget } from '../../../store/finops/budgets/budgets.ts'
import { decimalText } from '../decimal-text.ts'
import { scopeColumns } from '../scope-columns.ts'
import type { BudgetChangeBody } from './schemas.ts'

/**
 * The fields of a body as they are stored; `now` is the budget that it changes. Refuses what the schema
 * cannot express.
 */
export function budgetColumns(
  { name, overBudget, ...body }: BudgetChangeBody,
  now?: CostScope,
): Partial<NewBudget> {
  const faults: ErrorDetail[] = []
  const amountMonthly = textOf(body.amountMonthly, 'amountMonthly', faults)
  const threshold = thresholdOf(body, faults)
  const scope = scopeColumns(body, now, faults)
  const [first] = faults
  if (first) throw invalid(`${first.path}: ${first.message}.`, faults, 'validation_failed')
  return {
    ...(name !== undefined && { name }),
    ...(overBudget && { overBudget }),
    ...(amountMonthly !== undefined && { amountMonthly }),
    ...(threshold !== undefined && { threshold }),
    ...scope,
  }
}

// oxlint-disable-next-line max-params -- a field with its name
function textOf(
  value: number | undefined,
  path: string,
  faults: ErrorDetail[],
): string | undefined {
  if (value === undefined) return undefined
  const text = decimalText(value)
  if (text === undefined || text === '0')
    faults.push({ path, message: 'is at least 0.000000000001' })
  return text
}

/** A share and its percentage are one value. Both may be sent, as they are in answers, if they agree. */
function thresholdOf(
  { threshold, thresholdPct }: Pick<BudgetChangeBody, 'threshold' | 'thresholdPct'>,
  faults: ErrorDetail[],
): string | undefined {
  const share = textOf(threshold, 'threshold', faults)
  const percent = textOf(thresholdPct, 'thresholdPct', faults)
  if (percent === undefined) return share
  const ofPercent = parseDecimal(percent) / 100n
  if (ofPercent === 0n) faults.push({ path: 'thresholdPct', message: 'is at least 0.0000000001' })
  // Answers round the percentage to what a float has of it.
  const differs = (units: bigint) =>
    (units > ofPercent ? units - ofPercent : ofPercent - units) > 1n
  if (share !== undefined && differs(parseDecimal(share)))
    faults.push({
      path: 'thresholdPct',
      message: 'is not the threshold in percent. Send one of the two',
    })
  return share ?? formatDecimal(ofPercent)
}
