import { parseDecimal } from '../decimal.ts'
import type { CostScope } from '../cost-scope.ts'
import type { Budget } from './budget.ts'

type Guard = CostScope & Pick<Budget, 'amountMonthly' | 'overBudget'>

/**
 * Whether a change of a budget is one of what guards runs: one that has them wait for a second person
 * is set, weakened or deleted. A lower amount only adds a guard. `before` is undefined for a new
 * budget, `after` for a deleted one.
 */
export function changesGuard(before: Guard | undefined, after: Guard | undefined): boolean {
  const guarded = before?.overBudget === 'approve'
  const guards = after?.overBudget === 'approve'
  if (!guarded || !guards) return guarded !== guards
  return (
    before.scopeKind !== after.scopeKind ||
    before.scopeValue !== after.scopeValue ||
    parseDecimal(after.amountMonthly) > parseDecimal(before.amountMonthly)
  )
}
