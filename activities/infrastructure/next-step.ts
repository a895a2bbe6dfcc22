import type { Tenant } from '../../store/driver/tenant.ts'
import type { InfrastructureRunInput, RunStep } from '../../workflows/infrastructure/contract.ts'
import { isTerminal } from '../../domain/runs/run-state.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { plans } from '../../store/infrastructure/plans.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import type { Deps } from '../deps.ts'
import { isActive } from '../../store/organizations/is-active.ts'
import { ownerOf } from './load-run.ts'
import { isJudgedByToday } from './recheck-gates.ts'

/** How often an apply that waits for a person's lock looks again: releasing a lock wakes no workflow. */
const lockPollMs = 5_000
const suspensionPollMs = 60_000

/**
 * The next step of a run, from the store. The only place that maps a phase to a step, so that a lost
 * workflow can be started again at any point. Ends a run whose approval expired, unless a decision won the
 * race.
 */
export const nextStep =
  (deps: Deps) =>
  async ({ runId }: InfrastructureRunInput): Promise<RunStep> => {
    const organizationId = await ownerOf(deps, runId)
    return deps.store.tenant(organizationId, async (tenant): Promise<RunStep> => {
      const run = await workspaceRuns(tenant).get(runId)
      if (isTerminal(run.phase)) return { next: 'over' }
      // Runs of a suspended organization wait. An apply under way is not interrupted.
      if (run.phase === 'planning' || run.phase === 'apply_queued')
        if (!(await isActive(tenant))) return { next: 'wait', timeoutMs: suspensionPollMs }
      switch (run.phase) {
        case 'planning':
          return { next: 'plan' }
        case 'awaiting_approval': {
          const timeoutMs = (run.approvalExpiresAt?.getTime() ?? Date.now()) - Date.now()
          if (timeoutMs > 0)
            return (await isJudged(tenant, { organizationId, runId }))
              ? { next: 'wait', timeoutMs }
              : { next: 'plan' }
          await endRun(
            tenant,
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
          const lock = await workspaceLocks(tenant).find(run.workspaceId)
          return lock && lock.workspaceRunId !== runId
            ? { next: 'wait', timeoutMs: lockPollMs }
            : { next: 'apply' }
        }
        default:
          // An apply that this workflow did not start: its outcome is looked up, and it is never repeated.
          return { next: 'reconcile' }
      }
    })
  }

/** Whether a waiting plan was judged by the current rules. */
async function isJudged(
  tenant: Tenant,
  { runId }: { organizationId: number; runId: number },
): Promise<boolean> {
  const plan = await plans(tenant).get(runId)
  return !plan || isJudgedByToday(tenant, plan)
}
