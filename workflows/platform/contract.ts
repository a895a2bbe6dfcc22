/** Task queues by what the work needs (temporal.md 11): `control` is quick, `tofu` is bound by memory. */
export const controlQueue = 'control'
export const tofuQueue = 'tofu'

/** Settles what a crash left open: runs without a workflow, decisions that nobody was told of (temporal.md 2). */
export const reconcileType = 'reconcile'
export const reconcileScheduleId = 'reconcile'
