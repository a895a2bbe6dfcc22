import type { Db } from '../../store/connect.ts'
import type { InfrastructureRunInput, RunStep } from '../../workflows/pipelines/contract.ts'
import { isTerminal } from '../../domain/pipelines/run-state.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { endRun } from '../../store/pipelines/end-run.ts'
import { plans } from '../../store/pipelines/plans.ts'
import { workspaceRuns } from '../../store/pipelines/workspace-runs.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import type { Deps } from '../deps.ts'
import { isActive } from '../../store/organizations/is-active.ts'
import { ownerOf } from './load-run.ts'
import { isJudgedByToday } from './recheck-gates.ts'

/** While somebody's lock keeps an apply waiting: how soon to look again. A freed lock wakes nobody. */
const lockPollMs = 5_000
const suspensionPollMs = 60_000

/**
 * What a run does next, as the store says it: the one place that turns a phase into a
 * step, so that a workflow that was lost can be begun anew at any point. An approval
 * whose time is over ends here; a decision that won the race is found and wins.
 */
export const nextStep =
  (deps: Deps) =>
  async ({ runId }: InfrastructureRunInput): Promise<RunStep> => {
    const organizationId = await ownerOf(deps, runId)
    return deps.store.tenant(organizationId, async (db): Promise<RunStep> => {
      const run = await workspaceRuns(db, organizationId).get(runId)
      if (isTerminal(run.phase)) return { next: 'over' }
      // Runs of a suspended organization wait. An apply under way is not interrupted.
      if (run.phase === 'planning' || run.phase === 'apply_queued')
        if (!(await isActive(db, organizationId)))
          return { next: 'wait', timeoutMs: suspensionPollMs }
      switch (run.phase) {
        case 'planning':
          return { next: 'plan' }
        case 'awaiting_approval': {
          const timeoutMs = (run.approvalExpiresAt?.getTime() ?? Date.now()) - Date.now()
          if (timeoutMs > 0)
            return (await isJudged(db, { organizationId, runId }))
              ? { next: 'wait', timeoutMs }
              : { next: 'plan' }
          await endRun(
            db,
            { organizationId, runId, actor: systemActor },
            {
              phase: 'failed',
              reason: 'approval_expired',
              message: 'Nobody approved the plan in time. Start a new run.',
            },
          )
          return { next: 'over' }
        }
        case 'apply_queued': {
          const lock = await workspaceLocks(db, organizationId).find(run.workspaceId)
          return lock && lock.workspaceRunId !== runId
            ? { next: 'wait', timeoutMs: lockPollMs }
            : { next: 'apply' }
        }
        default:
          // An apply that this workflow did not begin: what came of it is looked up, never done again.
          return { next: 'reconcile' }
      }
    })
  }

/** Whether a waiting plan was judged by the rules of today. */
async function isJudged(
  db: Db,
  { organizationId, runId }: { organizationId: number; runId: number },
): Promise<boolean> {
  const plan = await plans(db, organizationId).get(runId)
  return !plan || isJudgedByToday(db, organizationId, plan)
}
