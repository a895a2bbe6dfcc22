/**
 * Task queues by what the work needs: `control` is quick, `tofu` is bound by memory, `cloud` waits for
 * the answers of clouds, `billing` reads bills, which takes memory and disk, `build` fetches and builds
 * applications, which takes disk.
 */
export const controlQueue = 'control'
export const tofuQueue = 'tofu'
export const cloudQueue = 'cloud'
export const billingQueue = 'billing'
export const buildQueue = 'build'
export const taskQueues = { control: controlQueue, tofu: tofuQueue }

/** Of earlier versions, whose housekeeping was a workflow on a schedule. */
export const reconcileType = 'reconcile'
export const reconcileScheduleId = 'reconcile'
