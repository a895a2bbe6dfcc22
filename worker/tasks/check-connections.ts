import type { Deps } from '../../activities/deps.ts'
import { checkConnections, checkedAtOnce } from '../../activities/git/check-connections.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** Detects revoked tokens before a run needs them. Each pass checks the connections that are due. */
export const checkConnectionsTask = (deps: Deps): RecurringTask => ({
  name: 'check-git-connections',
  everyMs: 60_000,
  async run() {
    const { checked } = await checkConnections(deps)()
    return checked === checkedAtOnce ? 'more' : 'done'
  },
})
