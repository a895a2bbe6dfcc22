import type { Caller } from '../../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../../store/audit/audit-log.ts'
import { budgets } from '../../../store/finops/budgets/budgets.ts'
import { noteBudgetsChanged } from '../../../store/finops/raise-cost-version.ts'
import type { Deps } from '../../deps.ts'
import { changingBudget, noteBudgetChange } from './hold-budget.ts'

/** Deletes a budget. One that holds runs needs `manage_cloud_accounts`. */
export async function deleteBudget(deps: Deps, caller: Caller, id: number): Promise<void> {
  await changingBudget(deps, caller, async (tenant) => {
    const before = await budgets(tenant).getForUpdate(id)
    // Locks workspaces, and so comes before the row's key is locked (store/finops/budgets/budgets.ts).
    await noteBudgetChange(tenant, caller, { before, after: undefined })
    await budgets(tenant).delete(id)
    const { name, amountMonthly, scopeKind, scopeValue, overBudget } = before
    await auditLog(tenant, actorOf(caller)).record('finops.budget_deleted', {
      target: { kind: 'budget', id, label: name },
      detail: { amountMonthly: Number(amountMonthly), scopeKind, scopeValue, overBudget },
    })
    await noteBudgetsChanged(tenant)
  })
}
