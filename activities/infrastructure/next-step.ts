import type { InfrastructureRunInput, RunStep } from '../../workflows/infrastructure/contract.ts'
import { isTerminal } from '../../domain/runs/run-state.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { findJudgedPlan } from '../../store/infrastructure/judged-plan.ts'
import { standingOfRun } from '../../store/runs/run-of-step.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { isJudgedByToday } from './gate-rules.ts'
import { ownerOf } from '../runs/find-run.ts'

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
  async ({ runId: workspaceRunId }: InfrastructureRunInput): Promise<RunStep> =>
    stepOfRun(deps, { organizationId: await ownerOf(deps, workspaceRunId), workspaceRunId })

type Place = { organizationId: number; workspaceRunId: number }

/** The same, where the run's organization is known. */
export async function stepOfRun(
  deps: Pick<Deps, 'store'>,
  { organizationId, workspaceRunId }: Place,
): Promise<RunStep> {
  const run = await standingOfRun(deps.store, organizationId, workspaceRunId)
  if (isTerminal(run.phase)) return { next: 'over' }
  // Runs of a suspended organization wait. An apply under way is not interrupted.
  if ((run.phase === 'planning' || run.phase === 'apply_queued') && !run.isActive)
    return { next: 'wait', timeoutMs: suspensionPollMs }
  switch (run.phase) {
    case 'planning':
      return { next: 'plan' }
    case 'awaiting_approval': {
      const timeoutMs = timeLeft(run)
      if (timeoutMs <= 0) return expire(deps, { organizationId, workspaceRunId })
      const judged = await findJudgedPlan(deps.store, organizationId, workspaceRunId)
      return !judged || isJudgedByToday(judged) ? { next: 'wait', timeoutMs } : { next: 'plan' }
    }
    case 'apply_queued':
      return run.isLocked ? { next: 'wait', timeoutMs: lockPollMs } : { next: 'apply' }
    default:
      // An apply that this workflow did not start: its outcome is looked up, and it is never repeated.
      return { next: 'reconcile' }
  }
}

const timeLeft = ({ approvalExpiresAt }: { approvalExpiresAt: Date | null }): number =>
  (approvalExpiresAt?.getTime() ?? Date.now()) - Date.now()

async function expire(deps: Pick<Deps, 'store'>, place: Place): Promise<RunStep> {
  const { organizationId, workspaceRunId } = place
  const expired = await deps.store.tenant(organizationId, async (tenant) => {
    const { workspaceId } = await workspaceRuns(tenant).get(workspaceRunId)
    // Decisions are made under this lock, so a decision that came first is seen.
    const workspace = await workspaces(tenant).getForUpdate(workspaceId)
    const run = await workspaceRuns(tenant).get(workspaceRunId)
    if (run.phase !== 'awaiting_approval' || timeLeft(run) > 0) return false
    return endRun(
      tenant,
      { organizationId, workspaceRunId, actor: systemActor, held: { run, workspace } },
      {
        phase: 'failed',
        reason: 'approval_expired',
        message: 'Nobody approved the plan in time. Start a new run.',
      },
    )
  })
  return expired ? { next: 'over' } : stepOfRun(deps, place)
}
