import type { Logger } from 'pino'
import { systemActor } from '../../store/audit/audit-log.ts'
import { endRun } from '../../store/pipelines/end-run.ts'
import { beginRun, promoteNext } from '../../store/pipelines/promote-next.ts'
import type { Store } from '../../store/connect.ts'
import { workspaceRuns } from '../../store/pipelines/workspace-runs.ts'
import { expiredPlanApprovals } from '../../store/platform/expired-plan-approvals.ts'
import { waitingRuns } from '../../store/platform/waiting-workspaces.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'

export type TurnKeeper = { stop(): Promise<void> }

const pollMs = 1_000

/**
 * Gives free turns to queued runs. Whoever ends a run promotes the next one itself; this
 * catches what no end of a run announces: a place that another workspace's run gave
 * free, a lock that went with its holder, an organization that was resumed. Ends as well what
 * waited too long for somebody to see its files.
 */
export function startTurnKeeper({ store, log }: { store: Store; log: Logger }): TurnKeeper {
  let stopped = false
  const pass = async () => {
    for (const { organizationId, workspaceId, runId, kind } of await waitingRuns(
      store.platform,
      200,
    ))
      await store.tenant(organizationId, async (db) => {
        await workspaces(db, organizationId).getForUpdate(workspaceId)
        if (kind === 'apply') await promoteNext(db, organizationId, workspaceId)
        else await beginRun(db, organizationId, await workspaceRuns(db, organizationId).get(runId))
      })
  }
  const expire = async () => {
    for (const { organizationId, runId } of await expiredPlanApprovals(store.platform, 200))
      await store.tenant(organizationId, async (db) =>
        endRun(
          db,
          { organizationId, runId, actor: systemActor },
          {
            phase: 'failed',
            reason: 'approval_expired',
            message: 'Nobody let its files be planned in time. Start a new run.',
          },
        ),
      )
  }
  const loop = async () => {
    while (!stopped) {
      await pass().catch((error: unknown) => log.warn({ err: error }, 'turns cannot be given'))
      await expire().catch((error: unknown) => log.warn({ err: error }, 'waits cannot be ended'))
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }
  const running = loop()
  return {
    async stop() {
      stopped = true
      await running
    },
  }
}
