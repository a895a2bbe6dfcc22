import { judgeReach, type BudgetVerdict } from '../../domain/finops/budgets/judge-reach.ts'
import type { PlanReach } from '../../domain/finops/budgets/plan-reach.ts'
import type { ApprovalReason } from '../../domain/runs/approval-reason.ts'
import {
  needsConfirmation,
  type ConfirmablePlan,
  type ConfirmMode,
} from '../../domain/runs/confirmation.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { budgets } from '../../store/finops/budgets/budgets.ts'
import { budgetStates } from './budget-states.ts'

/** What a plan does to the budgets whose scope it reaches, by their states now. */
export async function judgePlanBudgets(
  tenant: Tenant,
  reach: readonly PlanReach[],
): Promise<BudgetVerdict> {
  if (reach.length === 0) return { holds: false, findings: [] }
  const all = await budgets(tenant).all()
  const reached = all.filter(({ id }) => reach.some(({ budgetId }) => budgetId === id))
  return judgeReach(reach, await budgetStates(tenant, { of: reached }))
}

type Guards = { criticality: 'standard' | 'production'; confirm: ConfirmMode }

/** Why a plan must be approved; empty if nobody has to. */
export const approvalReasonsOf = (
  { criticality, confirm }: Guards,
  { holds }: Pick<BudgetVerdict, 'holds'>,
  plan: ConfirmablePlan,
): ApprovalReason[] => [
  ...(criticality === 'production' ? (['production'] as const) : []),
  ...(holds ? (['budget'] as const) : []),
  ...(criticality === 'standard' && needsConfirmation(confirm, plan) ? (['confirm'] as const) : []),
]
