import type { Body } from '../api/call.ts'
import { changedFields } from '../parts/changed-fields.ts'
import { changedScope } from './changed-scope.ts'
import type { Budget } from './queries.ts'

type Was = Pick<
  Budget,
  'name' | 'amountMonthly' | 'scopeKind' | 'scopeValue' | 'thresholdPct' | 'overBudget'
>

/**
 * What the form changes of the budget that it was opened with, and no more: a save does not take back a guard
 * that another person set.
 */
export function budgetChange(typed: Body<'createBudget'>, was: Was): Body<'updateBudget'> {
  const { scopeKind: _kind, scopeValue: _value, ...fields } = typed
  return { ...changedFields(fields, was), ...changedScope(typed, was) }
}
