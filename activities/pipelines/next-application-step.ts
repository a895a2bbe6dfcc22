import { Context } from '@temporalio/activity'
import { endApplicationRun } from '../../app/runs/end-application-run.ts'
import { isTerminal, organizationRunLimit } from '../../domain/runs/run-state.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import {
  standingOfApplication,
  type ApplicationStanding,
} from '../../store/runs/application-step.ts'
import { releases } from '../../store/runs/releases.ts'
import { applicationAttempts } from '../../store/runs/application-attempts.ts'
import type { ApplicationRunInput, ApplicationStep } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { ownerOfApplication } from './application-owner.ts'
import { waitInLine } from './wait-in-line.ts'

/** How often a run in a short line for its organization's places looks again: a place that is free wakes no workflow. */
const placePollMs = 5_000
const suspensionPollMs = 60_000

/**
 * The next step of a run of an application, from the store. The only place that maps a phase to a step, so
 * that a lost workflow can be started again at any point.
 */
export const nextApplicationStep =
  (deps: Pick<Deps, 'store'>) =>
  async ({ runId }: ApplicationRunInput): Promise<ApplicationStep> => {
    const organizationId = await ownerOfApplication(deps, runId)
    const run = await standingOfApplication(deps.store, organizationId, runId)
    const { phase } = run
    // A deployment under way goes on, whatever becomes of its organization: hosts would be left between releases.
    if (phase === 'deploying' || phase === 'rolling_back') return { next: 'advance' }
    if (phase === 'awaiting_approval') return waitForApproval(deps, { organizationId, runId }, run)
    if (isTerminal(phase)) return { next: 'over' }
    // Runs of a suspended organization wait.
    if (!run.isActive) return { next: 'wait', timeoutMs: suspensionPollMs }
    if (phase === 'deploy_queued') return { next: 'open' }
    if (phase === 'building') {
      if (run.artifact === null) return { next: 'build' }
      return { next: run.artifact === 'built' ? 'describe' : 'sign' }
    }
    if (phase !== 'queued' || run.working < organizationRunLimit) return { next: 'source' }
    // Otherwise the run would be shown as one that no worker has picked up.
    await deps.store.tenant(organizationId, async (tenant) =>
      applicationAttempts(tenant, runId).noteEngine(
        Context.current().info.workflowExecution?.runId ?? 'unknown',
      ),
    )
    return waitInLine(deps, organizationId, placePollMs)
  }

/** Ends a run whose approval expired, unless a decision won the race. */
async function waitForApproval(
  deps: Pick<Deps, 'store'>,
  { organizationId, runId }: { organizationId: number; runId: number },
  { approvalExpiresAt }: Pick<ApplicationStanding, 'approvalExpiresAt'>,
): Promise<ApplicationStep> {
  const timeoutMs = (approvalExpiresAt?.getTime() ?? Date.now()) - Date.now()
  if (timeoutMs > 0) return { next: 'wait', timeoutMs }
  await deps.store.tenant(organizationId, async (tenant) => {
    // Decisions are made under this lock too. One that came first is seen, and so is a longer time.
    await releases(tenant).holdPipeline(await releases(tenant).pipelineOf(runId))
    const now = await releases(tenant).get(runId)
    if ((now.approvalExpiresAt?.getTime() ?? 0) > Date.now()) return
    await endApplicationRun(
      tenant,
      { runId, actor: systemActor, from: ['awaiting_approval'] },
      {
        phase: 'failed',
        reason: 'approval_expired',
        message: 'Nobody approved the release in time. Its artifact stays. Start a new run.',
      },
    )
  })
  // Over by now, or decided: the next look says which.
  return { next: 'wait', timeoutMs: 1 }
}
