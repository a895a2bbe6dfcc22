/** Task queues by what the work needs: `control` is quick, `tofu` is bound by memory. */
export const controlQueue = 'control'
export const tofuQueue = 'tofu'
export const taskQueues = { control: controlQueue, tofu: tofuQueue }

/** Settles what a crash left open: runs without a workflow (docs/temporal.md). */
export const reconcileType = 'reconcile'
export const reconcileScheduleId = 'reconcile'
