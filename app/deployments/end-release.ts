import { maxProbeFailures, type DeployStep } from '../../domain/pipelines/deployment.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { HostOfDeployment } from '../../store/deployments/deployment-hosts.ts'
import { deployments, type DeploymentRow } from '../../store/deployments/deployments.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { pipelineChanges } from '../../store/deployments/pipeline-changes.ts'
import { lockApplication, type LockedApplicationRun } from '../../store/runs/move-application.ts'
import { releaseApprovals } from '../../store/runs/release-approvals.ts'
import { releases } from '../../store/runs/releases.ts'
import { endApplicationRun, type ApplicationEnd } from '../runs/end-application-run.ts'
import { supersedeOlder } from '../runs/supersede-runs.ts'
import { endOfRelease } from './advance-release.ts'
import { endWithWorkspaceRun } from './follow-workspace-run.ts'
import { sayOfDeployment } from './say-of-deployment.ts'

type Failed = Extract<DeployStep, { outcome: 'failed' }>
type Ending = {
  runId: number
  run: LockedApplicationRun
  deployment: DeploymentRow
  hosts: HostOfDeployment[]
}

/**
 * Ends a deployment and its run once all is decided: in one transaction with the runs that it
 * makes needless. Does nothing while it goes on, or if it has ended.
 */
export async function endRelease(tenant: Tenant, runId: number, nowMs: number): Promise<void> {
  const rows = releases(tenant)
  const pipelineId = await rows.pipelineOf(runId)
  await rows.holdPipeline(pipelineId)
  const run = await lockApplication(tenant, runId)
  if (run.phase !== 'deploying' && run.phase !== 'rolling_back') return
  const deployment = await deployments(tenant).getForUpdate(runId)
  if (deployment.strategy.kind === 'workspace') return endWithWorkspaceRun(tenant, deployment)
  const end = await endOfRelease(tenant, deployment, nowMs)
  if (!end) return
  const { step, hosts } = end
  const ending = { runId, run, deployment, hosts }
  if (step.outcome === 'succeeded') await succeed(tenant, ending, step.warnings)
  else await fail(tenant, ending, step)
}

async function succeed(
  tenant: Tenant,
  { runId, run, deployment, hosts }: Ending,
  warnings: DeploymentRow['warnings'],
): Promise<void> {
  const { pipelineId } = deployment
  await supersedeOlder(tenant, { pipelineId, runId, hasDeployed: true })
  await deployments(tenant).end(runId, { outcome: 'succeeded', warnings })
  await pipelineChanges(tenant).settle(runId)
  const healthy = hosts.filter(({ state }) => state === 'healthy').length
  await sayOfDeployment(tenant, runId, [`${healthy} of ${hosts.length} hosts have the release.`])
  await endApplicationRun(
    tenant,
    { runId, actor: systemActor, from: [run.phase] },
    { phase: 'succeeded' },
  )
}

async function fail(
  tenant: Tenant,
  { runId, run, deployment, hosts }: Ending,
  step: Failed,
): Promise<void> {
  const { earlierRunId, pipelineId, workspaceId } = deployment
  const rolledBackTo = step.rolledBack ? earlierRunId : null
  await deployments(tenant).end(runId, {
    outcome: 'failed',
    warnings: step.warnings,
    rolledBackTo,
  })
  if (rolledBackTo !== null)
    await auditLog(tenant, systemActor).record('pipeline.rolled_back', {
      target: { kind: 'run', id: runId, label: run.pipelineName },
      detail: {
        pipelineId,
        workspaceId,
        to: rolledBackTo,
        automatic: true,
        hosts: hosts.filter(({ state }) => state === 'rolled_back').length,
        ...(step.mixed.length > 0 && { mixed: namesOf(hosts, step.mixed) }),
      },
    })
  const end = await endOf(tenant, { runId, step, hosts, deployment })
  await sayOfDeployment(tenant, runId, { level: 'error', lines: [end.message ?? ''] })
  await endApplicationRun(tenant, { runId, actor: systemActor, from: [run.phase] }, end)
}

async function endOf(
  tenant: Tenant,
  at: { runId: number; step: Failed; hosts: HostOfDeployment[]; deployment: DeploymentRow },
): Promise<ApplicationEnd> {
  const { step, runId } = at
  const message = messageOf(at)
  if (step.reason !== 'canceled_by_user') return { phase: 'failed', reason: step.reason, message }
  if (await releaseApprovals(tenant).isRejected(runId))
    return { phase: 'failed', reason: 'rejected', message }
  // A run that changed a host did something, so it is not shown as one that did not.
  const phase = step.changed || step.warnings.length > 0 ? 'failed' : 'canceled'
  return { phase, reason: step.reason, message }
}

function messageOf({
  step,
  hosts,
  deployment,
}: {
  step: Failed
  hosts: HostOfDeployment[]
  deployment: DeploymentRow
}): string {
  const hasEarlier = deployment.earlierRunId !== null
  const isProbed = deployment.probeFailures >= maxProbeFailures
  if (step.reason === 'superseded') return 'A rollback by hand took the place of this deployment.'
  const bad = hosts.filter(({ state }) => state === 'failed' || state === 'unreachable')
  const why =
    step.reason === 'canceled_by_user'
      ? 'The deployment was stopped.'
      : isProbed
        ? 'The address of health.probe did not answer as it should, three times in a row.'
        : hosts.length === 0 || (bad.length === hosts.length && !step.changed)
          ? 'No host could be updated: no agent for this release is online, or none of them could take it.'
          : `More hosts failed than may: ${namesOf(
              hosts,
              bad.map(({ id }) => id),
            ).join(', ')}.`
  if (step.mixed.length > 0)
    return `${why} These keep the new release, beside others with the earlier one: ${namesOf(hosts, step.mixed).join(', ')}.`
  if (step.rolledBack) return `${why} Every host that had the new release went back.`
  if (!step.changed) return `${why} No host was changed.`
  return hasEarlier ? why : `${why} There is no earlier release, so hosts stay as they are.`
}

/** No more than an audit entry or a sentence takes. */
const namesOf = (hosts: readonly HostOfDeployment[], ids: readonly number[]): string[] =>
  hosts
    .filter(({ id }) => ids.includes(id))
    .slice(0, 20)
    .map(({ name }) => name)
