import type { Deps } from '../../activities/deps.ts'
import { reconcileRuns } from '../../activities/platform/reconcile-runs.ts'
import type { Task } from './start-task.ts'

/** Often enough that what a crash left open is settled within a minute of recovery. */
export const reconcileTask = (deps: Deps): Task => ({
  name: 'reconcile',
  everyMs: 20_000,
  run: reconcileRuns(deps),
})
