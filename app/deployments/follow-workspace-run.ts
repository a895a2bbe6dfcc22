import { AppError } from '../../domain/errors.ts'
import { isTerminal, stateInWords, type RunReason } from '../../domain/runs/run-state.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { pipelineChanges } from '../../store/deployments/pipeline-changes.ts'
import { deployments, type DeploymentRow } from '../../store/deployments/deployments.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/runs/workspace-runs.ts'
import { cancelWorkspaceRun } from '../runs/cancel-workspace-run.ts'
import { endApplicationRun, type ApplicationEnd } from '../runs/end-application-run.ts'
import { supersedeOlder } from '../runs/supersede-runs.ts'
import type { Advanced } from './advanced.ts'
import { sayOfDeployment } from './say-of-deployment.ts'

/** The end of the workspace's run wakes the workflow. This is for a wake that was lost. */
const pollMs = 5_000

/** Waits for the run of the workspace that deploys. A deployment that is stopped cancels it. */
export async function followWorkspaceRun(
  tenant: Tenant,
  { workspaceRunId, stop, endedAt }: DeploymentRow,
): Promise<Advanced> {
  if (endedAt !== null) return { next: 'over' }
  const run = workspaceRunId === null ? undefined : await workspaceRuns(tenant).get(workspaceRunId)
  if (!run || isTerminal(run.phase)) return { next: 'end' }
  // A rollback waits for an apply: it would leave the workspace half changed otherwise.
  const isStopped = stop === 'canceled' || (stop === 'replaced' && run.phase !== 'applying')
  if (isStopped && run.cancelRequestedAt === null) await cancel(tenant, run.id)
  return { next: 'wait', timeoutMs: pollMs }
}

async function cancel(tenant: Tenant, workspaceRunId: number): Promise<void> {
  try {
    await cancelWorkspaceRun(tenant, { workspaceRunId, actor: systemActor, userId: null })
  } catch (error) {
    // It ended by itself meanwhile, which the next look sees.
    if (!(error instanceof AppError) || error.code !== 'run_not_waiting') throw error
  }
}

/**
 * Ends a deployment with the run that carried it out; does nothing while that goes on. The caller holds the
 * pipeline's row.
 */
export async function endWithWorkspaceRun(
  tenant: Tenant,
  { pipelineRunId: runId, pipelineId, workspaceRunId, stop }: DeploymentRow,
): Promise<void> {
  const run = workspaceRunId === null ? undefined : await workspaceRuns(tenant).get(workspaceRunId)
  if (run && !isTerminal(run.phase)) return
  const number = run && (await numberOf(tenant, run.id))
  const isGood = run?.phase === 'succeeded'
  if (isGood) await supersedeOlder(tenant, { pipelineId, runId, hasDeployed: true })
  await deployments(tenant).end(runId, { outcome: isGood ? 'succeeded' : 'failed' })
  if (isGood) await pipelineChanges(tenant).settle(runId)
  const end: ApplicationEnd = isGood ? { phase: 'succeeded' } : endOf({ run, number, stop })
  await sayOfDeployment(tenant, runId, {
    level: isGood ? 'info' : 'error',
    lines: [end.message ?? `Run ${number} of the workspace has deployed the release.`],
  })
  await endApplicationRun(tenant, { runId, actor: systemActor, from: ['deploying'] }, end)
}

/** What the run of the workspace says of itself is said of the deployment too. */
const sameReason = new Set<RunReason>(['rejected', 'approval_expired'])

function endOf({
  run,
  number,
  stop,
}: {
  run: WorkspaceRun | undefined
  number: number | undefined
  stop: DeploymentRow['stop']
}): ApplicationEnd {
  if (!run)
    return {
      phase: 'failed',
      reason: 'deploy_errored',
      message: 'The run of the workspace is gone.',
    }
  const message = `Run ${number} of the workspace did not deploy the release: ${stateInWords(run)}.`
  const isCanceled = run.phase === 'canceled'
  if (stop === 'replaced')
    return {
      phase: isCanceled ? 'canceled' : 'failed',
      reason: 'superseded',
      message: 'A rollback by hand took the place of this deployment.',
    }
  if (stop === 'canceled')
    return { phase: isCanceled ? 'canceled' : 'failed', reason: 'canceled_by_user', message }
  const reason = run.reason !== null && sameReason.has(run.reason) ? run.reason : 'deploy_errored'
  return { phase: 'failed', reason, message }
}

async function numberOf(tenant: Tenant, workspaceRunId: number): Promise<number | undefined> {
  const [place] = await pipelineRuns(tenant).ofWorkspaceRuns([workspaceRunId])
  return place?.number
}
