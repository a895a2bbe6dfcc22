import { noteGuardChange } from '../../../app/policies/note-guard-change.ts'
import { deniedCaller, notingDenial } from '../../../app/audit/note-denial.ts'
import { shownBudgetStates } from '../../../app/finops/budget-states.ts'
import type { Caller } from '../../../domain/access/caller.ts'
import { changesGuard } from '../../../domain/finops/budgets/changes-guard.ts'
import type { CostScope } from '../../../domain/finops/cost-scope.ts'
import { assertMayChangeGuard, GuardDenied } from '../../../domain/workspaces/guard-denied.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import type { StoredBudget } from '../../../store/finops/budgets/budgets.ts'
import type { GuardedWorkspaces } from '../../../store/workspaces/workspaces.ts'
import type { Deps } from '../../deps.ts'
import { presentBudget } from './present-budget.ts'
import type { BudgetBody } from './schemas.ts'

/** Runs a change of a budget in one transaction. A refused change of a guard is audited after it has rolled back. */
export async function changingBudget<T>(
  { store }: Deps,
  caller: Caller,
  work: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  return notingDenial(
    { store, denied: [deniedCaller(caller)] },
    (error) =>
      error instanceof GuardDenied
        ? {
            event: 'cloud.rbac_denied',
            attempt: `change ${error.what}`,
            detail: { what: error.what, capability: 'manage_cloud_accounts', role: caller.role },
          }
        : undefined,
    async () => store.tenant(caller.organizationId, work),
  )
}

type Guard = Parameters<typeof changesGuard>[0]

/**
 * Refuses a change of what guards runs to a caller who may not make it. Otherwise makes them an author of
 * the next run in its scope, before and after, and voids what waits there.
 */
export async function noteBudgetChange(
  tenant: Tenant,
  caller: Caller,
  { before, after }: { before: Guard; after: Guard },
): Promise<void> {
  if (!changesGuard(before, after)) return
  assertMayChangeGuard(caller, 'a budget that holds runs')
  const guarded = [before, after].filter((budget) => budget !== undefined).map(guardedBy)
  await noteGuardChange(tenant, caller, { what: 'budget', guarded })
}

/** What a run will cost in a provider, service or tag shows in its plan alone, so any workspace may be meant. */
const guardedBy = ({ scopeKind, scopeValue }: CostScope): GuardedWorkspaces =>
  scopeKind === 'workspace' ? [Number(scopeValue)] : 'standard'

export async function withState(tenant: Tenant, budget: StoredBudget): Promise<BudgetBody> {
  const {
    budgets: [stated],
  } = await shownBudgetStates(tenant, { of: [budget] })
  if (!stated) throw new Error('a budget has no state')
  return presentBudget(stated)
}
