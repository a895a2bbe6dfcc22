import type { PlanAction, PlanOverview } from './split-plan.ts'

/** Each of these adds an object to the state, takes one out of it, or gives one another address. */
const changingActions: readonly PlanAction[] = ['create', 'destroy', 'replace', 'move']

/**
 * Whether an apply of this plan cannot leave the state as it was. An update can: OpenTofu writes no
 * state when the value that was unknown in the plan turns out to be the old one.
 */
export const mustChangeState = ({ actions }: PlanOverview): boolean =>
  changingActions.some((action) => actions[action] > 0)
