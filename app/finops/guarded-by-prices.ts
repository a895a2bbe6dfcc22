import { canBudgetsHold } from '../../store/finops/budgets/budgets.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { GuardedWorkspaces } from '../../store/workspaces/workspaces.ts'

/**
 * The workspaces whose plans the prices, rates and currency of the organization judge: those with a cost limit, and
 * every standard one where a budget can hold runs (docs/budgets.md).
 */
export async function guardedByPrices(tenant: Tenant): Promise<GuardedWorkspaces[]> {
  return ['limited', ...(await guardedByBudgets(tenant))]
}

/** The workspaces that a budget can hold. */
export async function guardedByBudgets(tenant: Tenant): Promise<GuardedWorkspaces[]> {
  return (await canBudgetsHold(tenant)) ? ['standard'] : []
}
