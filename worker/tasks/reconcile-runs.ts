import type { Deps } from '../../activities/deps.ts'
import { reconcileRuns } from '../../activities/platform/reconcile-runs.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** Finds runs that a crash left open, within a minute of recovery. */
export const reconcileTask = (deps: Deps): RecurringTask => ({
  name: 'reconcile',
  everyMs: 20_000,
  async run() {
    await reconcileRuns(deps)()
    return 'done'
  },
})
