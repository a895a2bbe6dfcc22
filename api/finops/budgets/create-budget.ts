import type { Caller } from '../../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../../store/audit/audit-log.ts'
import { budgets } from '../../../store/finops/budgets/budgets.ts'
import { noteBudgetsChanged } from '../../../store/finops/raise-cost-version.ts'
import type { Deps } from '../../deps.ts'
import { assertOwnScope } from '../scope-columns.ts'
import { budgetColumns } from './budget-columns.ts'
import { changingBudget, noteBudgetChange, withState } from './hold-budget.ts'
import type { BudgetBody, NewBudgetBody } from './schemas.ts'

const defaultThreshold = '0.8'

/** Adds a budget. One that holds runs is a guard, which needs `manage_cloud_accounts`. */
export async function createBudget(
  deps: Deps,
  caller: Caller,
  body: NewBudgetBody,
): Promise<BudgetBody> {
  const columns = budgetColumns({ scopeValue: null, ...body })
  const budget = {
    name: body.name,
    amountMonthly: columns.amountMonthly ?? '0',
    scopeKind: body.scopeKind,
    scopeValue: columns.scopeValue ?? null,
    threshold: columns.threshold ?? defaultThreshold,
    overBudget: columns.overBudget ?? 'warn',
  } as const
  return changingBudget(deps, caller, async (tenant) => {
    await noteBudgetChange(tenant, caller, { before: undefined, after: budget })
    await assertOwnScope(tenant, budget)
    const made = await budgets(tenant).create(budget)
    await auditLog(tenant, actorOf(caller)).record('finops.budget_created', {
      target: { kind: 'budget', id: made.id, label: made.name },
      detail: {
        ...budget,
        amountMonthly: Number(budget.amountMonthly),
        threshold: Number(budget.threshold),
      },
    })
    const stated = await withState(tenant, made)
    await noteBudgetsChanged(tenant)
    return stated
  })
}
