import { Context } from '@temporalio/activity'
import { endApplicationRun } from '../../app/runs/end-application-run.ts'
import { organizationRunLimit } from '../../domain/runs/run-state.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { standingOfApplication } from '../../store/runs/application-step.ts'
import { applicationAttempts } from '../../store/runs/application-attempts.ts'
import type { ApplicationRunInput, ApplicationStep } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { ownerOfApplication } from './application-owner.ts'

/** How often a run that waits for one of its organization's places looks again: a place wakes no workflow. */
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
    if (phase !== 'queued' && phase !== 'sourcing' && phase !== 'building') return { next: 'over' }
    // Before anything is fetched: a run with a target would end without its deployment.
    if (run.hasTarget) {
      await deps.store.tenant(organizationId, async (tenant) =>
        endApplicationRun(
          tenant,
          { runId, actor: systemActor, from: [phase] },
          {
            phase: 'failed',
            reason: 'deploy_errored',
            message: 'This version builds applications, and deploys none to a workspace.',
          },
        ),
      )
      return { next: 'over' }
    }
    // Runs of a suspended organization wait.
    if (!run.isActive) return { next: 'wait', timeoutMs: suspensionPollMs }
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
    return { next: 'wait', timeoutMs: placePollMs }
  }
