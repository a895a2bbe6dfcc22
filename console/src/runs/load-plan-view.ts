/** The viewer of plans is a script of its own, because most pages that are opened first show none. */
export const loadPlanView = () => import('../infrastructure/plan-view.tsx')

/** Begins to load it beside the run. A failure shows where the viewer is needed. */
export const warmPlanView = () => void loadPlanView().catch(() => undefined)
