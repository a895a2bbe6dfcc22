import type { Body } from '../api/call.ts'
import type { Budget } from './queries.ts'

type Typed = Body<'createBudget'>
type Was = Pick<
  Budget,
  'name' | 'amountMonthly' | 'scopeKind' | 'scopeValue' | 'thresholdPct' | 'overBudget'
>

/**
 * What the form changes of the budget that it was opened with, and no more: a save does not take back a guard
 * that another person set. The kind of the scope and what of that kind are one choice.
 */
export function budgetChange(
  { scopeKind, scopeValue = null, ...typed }: Typed,
  was: Was,
): Body<'updateBudget'> {
  const isOtherScope = `${scopeKind} ${scopeValue}` !== `${was.scopeKind} ${was.scopeValue}`
  const before = new Map<string, unknown>(Object.entries(was))
  const changed = Object.entries(typed).filter(([field, value]) => value !== before.get(field))
  return { ...Object.fromEntries(changed), ...(isOtherScope && { scopeKind, scopeValue }) }
}
