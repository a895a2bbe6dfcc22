import type { Caller } from '../../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../../store/audit/audit-log.ts'
import {
  budgets,
  type NewBudget,
  type StoredBudget,
} from '../../../store/finops/budgets/budgets.ts'
import { noteBudgetsChanged } from '../../../store/finops/raise-cost-version.ts'
import type { Deps } from '../../deps.ts'
import { assertOwnScope } from '../scope-columns.ts'
import { budgetColumns } from './budget-columns.ts'
import { changingBudget, noteBudgetChange, withState } from './hold-budget.ts'
import type { BudgetBody, BudgetChangeBody } from './schemas.ts'

/** Changes a budget. To weaken one that holds runs needs `manage_cloud_accounts`. */
export async function updateBudget(
  deps: Deps,
  caller: Caller,
  { id, change }: { id: number; change: BudgetChangeBody },
): Promise<BudgetBody> {
  return changingBudget(deps, caller, async (tenant) => {
    const before = await budgets(tenant).getForUpdate(id)
    const columns = differences(before, budgetColumns(change, before))
    if (Object.keys(columns).length === 0) return withState(tenant, before)
    const wanted = { ...before, ...columns }
    await noteBudgetChange(tenant, caller, { before, after: wanted })
    await assertOwnScope(tenant, wanted, before)
    const after = await budgets(tenant).update(id, columns)
    await auditLog(tenant, actorOf(caller)).record('finops.budget_updated', {
      target: { kind: 'budget', id, label: after.name },
      detail: Object.fromEntries(
        Object.entries(columns).map(([field, to]) => [
          field,
          { from: plain(field, before[field as keyof NewBudget]), to: plain(field, to) },
        ]),
      ),
    })
    const stated = await withState(tenant, after)
    await noteBudgetsChanged(tenant)
    return stated
  })
}

/** Only the differences: sending a budget back unchanged is no change. */
function differences(before: StoredBudget, change: Partial<NewBudget>): Partial<NewBudget> {
  return Object.fromEntries(
    Object.entries(change).filter(
      ([field, value]) => plain(field, before[field as keyof NewBudget]) !== plain(field, value),
    ),
  )
}

/** The store returns all decimals of an amount; both sides are compared in one notation. */
const plain = (field: string, value: string | null): string | number | null =>
  field === 'amountMonthly' || field === 'threshold' ? Number(value) : value
