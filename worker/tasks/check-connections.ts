import type { Deps } from '../../activities/deps.ts'
import { checkConnections } from '../../activities/git/check-connections.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** A token that was revoked is seen before somebody needs it. Each pass asks for those that nobody has asked for ten minutes. */
export const checkConnectionsTask = (deps: Deps): RecurringTask => ({
  name: 'check-git-connections',
  everyMs: 60_000,
  async run() {
    await checkConnections(deps)()
    return 'done'
  },
})
