import { parsePlan, type Plan } from './parse-plan.ts'

/**
 * Counts as OpenTofu's own closing line does ("Plan: 2 to add, 0 to change, 1 to destroy"):
 * a replacement is one to add and one to destroy; reads, moves and forgotten objects are in
 * none of the three.
 */
export const summarizePlan = (planJson: unknown): PlanSummary => summaryOf(parsePlan(planJson))

export function summaryOf(plan: Plan): PlanSummary {
  const summary: PlanSummary = {
    add: 0,
    change: 0,
    destroy: 0,
    replace: 0,
    import: 0,
    forget: 0,
    move: 0,
    outputs: plan.outputChanges.filter(({ change }) => change.kind !== 'no-op').length,
    noChanges: !changesAnything(plan),
  }
  for (const resource of plan.resourceChanges) {
    const { kind, importing } = resource.change
    if (resource.mode !== 'managed') continue
    if (kind === 'create' || kind === 'replace' || kind === 'forget-create') summary.add += 1
    if (kind === 'update') summary.change += 1
    if (kind === 'delete' || kind === 'replace') summary.destroy += 1
    if (kind === 'replace') summary.replace += 1
    if (kind === 'forget' || kind === 'forget-create') summary.forget += 1
    if (importing !== undefined) summary.import += 1
    if (resource.previousAddress !== undefined) summary.move += 1
  }
  return summary
}

export type PlanSummary = {
  add: number
  change: number
  destroy: number
  /** How many of `add` and `destroy` are two halves of one replacement. */
  replace: number
  import: number
  forget: number
  move: number
  /** Outputs whose value changes. */
  outputs: number
  /** True if there is nothing to apply: no object, no move, no import, no output. */
  noChanges: boolean
}

/** OpenTofu's own rule for a plan that need not be applied (its `Changes.Empty`). */
function changesAnything(plan: Plan): boolean {
  const objects = plan.resourceChanges.some(
    ({ change, mode, previousAddress }) =>
      (change.kind !== 'no-op' && mode !== 'ephemeral') ||
      previousAddress !== undefined ||
      change.importing !== undefined,
  )
  return objects || plan.outputChanges.some(({ change }) => change.kind !== 'no-op')
}
