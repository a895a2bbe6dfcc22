/**
 * Why a run's plan must be approved. `production` and `budget` need a second person. `confirm` needs
 * anybody who may start runs, its author too.
 */
export const approvalReasons = ['production', 'budget', 'confirm'] as const
export type ApprovalReason = (typeof approvalReasons)[number]

export const approvalRules = ['second_operator', 'confirm'] as const
export type ApprovalRule = (typeof approvalRules)[number]

/** Undefined for a plan that nobody must approve. A second person's approval is a confirmation too. */
export function approvalRuleOf(reasons: readonly ApprovalReason[]): ApprovalRule | undefined {
  if (reasons.length === 0) return undefined
  return reasons.every((reason) => reason === 'confirm') ? 'confirm' : 'second_operator'
}
