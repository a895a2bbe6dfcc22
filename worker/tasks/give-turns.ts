import type { Logger } from 'pino'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { beginRun, promoteNext } from '../../app/runs/promote-next.ts'
import type { Store } from '../../store/driver/connect.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { waitingRuns } from '../../store/platform/waiting-workspaces.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** The limit of one run. The next run, a second later, finds the rest. */
const maxRuns = 200

/**
 * Gives free turns to queued runs. The transaction that ends a run promotes the next one of its
 * workspace. This task finds the other cases: a place that another workspace's run freed, a lock that
 * was released with its holder, a resumed organization (docs/runs.md, "Turn").
 */
export const giveTurnsTask = ({ store, log }: { store: Store; log: Logger }): RecurringTask => ({
  name: 'give-turns',
  everyMs: 1_000,
  async run() {
    const waiting = await waitingRuns(store.platform, maxRuns)
    await eachByItself(waiting, {
      task: 'give-turns',
      log,
      work: async ({ organizationId, workspaceId, workspaceRunId, kind }) =>
        store.tenant(organizationId, async (tenant) => {
          await workspaces(tenant).getForUpdate(workspaceId)
          if (kind === 'apply') await promoteNext(tenant, workspaceId)
          else await beginRun(tenant, await workspaceRuns(tenant).get(workspaceRunId))
        }),
    })
    return 'done'
  },
})
