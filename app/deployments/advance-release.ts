import type { Deployment, DeployStep } from '../../domain/pipelines/deployment.ts'
import { ofHosts } from '../../domain/manifest/resolve-strategy.ts'
import { nextHosts } from '../../domain/pipelines/next-hosts.ts'
import { hostLimitSeconds } from '../../domain/pipelines/release-plan.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { deploymentHosts, type HostOfDeployment } from '../../store/deployments/deployment-hosts.ts'
import { deployments, type DeploymentRow } from '../../store/deployments/deployments.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { mails } from '../../store/mails/mails.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { lockApplication, moveApplication } from '../../store/runs/move-application.ts'
import type { Advanced } from './advanced.ts'
import { followWorkspaceRun } from './follow-workspace-run.ts'
import { labelsOfManifest } from './labels-of-manifest.ts'
import { sayOfDeployment } from './say-of-deployment.ts'
import { stopOfDeployment, stopUnapproved } from './stop-of-deployment.ts'

/** The caller asks the address, outside of the transaction, and then comes again. */
export type Probing = { next: 'probe'; deployment: DeploymentRow }

type Ended = Extract<DeployStep, { do: 'end' }>
type Held = { runId: number; deployment: DeploymentRow; hosts: HostOfDeployment[] }

/** A result wakes the workflow. This is for what is not told: a host that is lost, an agent that comes online. */
const pollMs = 5_000

/**
 * Takes a deployment as far as its hosts let it: tells the hosts of the next batch what to do, asks for a
 * confirmation, or has hosts go back. Repeatable: what was told already is not told again.
 */
export async function advanceRelease(
  tenant: Tenant,
  runId: number,
  nowMs: number,
): Promise<Advanced | Probing> {
  const found = await deployments(tenant).find(runId)
  // Before the run is locked: a cancel locks the workspace, which comes first everywhere.
  if (found?.strategy.kind === 'workspace') return followWorkspaceRun(tenant, found)
  const { phase, pipelineName } = await lockApplication(tenant, runId)
  if (phase !== 'deploying' && phase !== 'rolling_back') return { next: 'over' }
  const row = await deployments(tenant).getForUpdate(runId)
  await giveUpLost(tenant, row)
  const isStopped = await meetAgents(tenant, row)
  const deployment: DeploymentRow = {
    ...row,
    stop: isStopped ? 'canceled' : await stopOfDeployment(tenant, row),
  }
  // Each pass tells some hosts what to do, or answers.
  for (;;) {
    const hosts = await deploymentHosts(tenant).list(runId)
    const step = nextHosts(asDeployment(deployment, hosts), nowMs)
    if (step.do === 'end') return { next: 'end' }
    if (step.do === 'probe') return { next: 'probe', deployment: row }
    const held = { runId, deployment, hosts }
    if (step.do === 'confirm') return askToConfirm(tenant, held, { step: step.step, pipelineName })
    if (step.do === 'wait') return { next: 'wait', timeoutMs: waitMs(step.untilMs, nowMs) }
    const told = await tell(tenant, held, step)
    if (!told) return { next: 'wait', timeoutMs: pollMs }
  }
}

/** How a deployment ends; undefined while it goes on. */
export async function endOfRelease(
  tenant: Tenant,
  row: DeploymentRow,
  nowMs: number,
): Promise<{ step: Ended; hosts: HostOfDeployment[] } | undefined> {
  const hosts = await deploymentHosts(tenant).list(row.pipelineRunId)
  const stop = await stopOfDeployment(tenant, row)
  const step = nextHosts(asDeployment({ ...row, stop }, hosts), nowMs)
  return step.do === 'end' ? { step, hosts } : undefined
}

const asDeployment = (row: DeploymentRow, hosts: readonly HostOfDeployment[]): Deployment => ({
  strategy: ofHosts(row.strategy),
  hosts,
  confirmed: row.confirmed,
  stop: row.stop,
  hasEarlierRelease: row.earlierRunId !== null,
  agentsUntilMs: row.agentsUntil.getTime(),
  probe: row.probe && {
    everyMs: row.probe.everySeconds * 1_000,
    askedAtMs: row.probeAskedAt?.getTime() ?? null,
    okAtMs: row.probeOkAt?.getTime() ?? null,
    failures: row.probeFailures,
  },
})

const waitMs = (untilMs: number | null, nowMs: number): number =>
  untilMs === null ? pollMs : Math.max(1, Math.min(pollMs, untilMs - nowMs))

async function giveUpLost(tenant: Tenant, { pipelineRunId, hooks }: DeploymentRow): Promise<void> {
  const limitSeconds = hostLimitSeconds({ hooks })
  const lost = await deploymentHosts(tenant).giveUpLost(pipelineRunId, { limitSeconds })
  const lines = lost.map(({ name, state }) =>
    state === 'stuck'
      ? `${name} was lost while it went back.`
      : `${name} was lost. It counts as failed.`,
  )
  await sayOfDeployment(tenant, pipelineRunId, { level: 'warn', lines })
}

/** While no host is there to begin with, agents that come online are its hosts. True if it may not begin. */
async function meetAgents(
  tenant: Tenant,
  { pipelineRunId, workspaceId, labels, stop, agentsUntil }: DeploymentRow,
): Promise<boolean> {
  const hosts = await deploymentHosts(tenant).list(pipelineRunId)
  const isBegun = hosts.some(({ batch }) => batch !== null)
  if (!isBegun && stop === null && (await stopUnapproved(tenant, pipelineRunId))) return true
  const isMet = hosts.some(({ state, batch }) => state !== 'unreachable' || batch !== null)
  if (isMet || stop !== null || agentsUntil.getTime() < Date.now()) return false
  const back = await deploymentHosts(tenant).noteOnline(pipelineRunId)
  const added = await deploymentHosts(tenant).add(pipelineRunId, {
    workspaceId,
    labels: labels ?? (await labelsOfManifest(tenant, pipelineRunId)),
  })
  if (back + added > 0)
    await sayOfDeployment(tenant, pipelineRunId, [`${back + added} came online.`])
  return false
}

/** False if nothing changed: then the answer would be the same for ever. */
async function tell(
  tenant: Tenant,
  held: Held,
  step: Exclude<DeployStep, { do: 'end' | 'wait' | 'confirm' | 'probe' }>,
): Promise<boolean> {
  const { runId, deployment } = held
  if (step.do === 'stop') {
    await deploymentHosts(tenant).stop(runId, step.hosts)
    // Those that had begun end it themselves, or are given up.
    const now = await deploymentHosts(tenant).list(runId)
    return !now.some(({ id, wanted }) => wanted !== null && step.hosts.includes(id))
  }
  if (step.do === 'roll_back') return goBack(tenant, held, step.hosts)
  const { action, batch, hosts } = step
  const wanted = await deploymentHosts(tenant).want(runId, hosts, {
    from: [action === 'activate' ? 'staged' : 'pending'],
    to: 'updating',
    wanted: action,
    batch,
  })
  await deployments(tenant).setBatches(runId, {
    batch,
    batches: Math.max(deployment.batches, batch),
  })
  await sayOfDeployment(tenant, runId, [
    `Batch ${batch} of ${Math.max(deployment.batches, batch)}, ${action}: ${namesOf(held, wanted)}.`,
  ])
  return wanted.length > 0
}

async function goBack(tenant: Tenant, held: Held, agentIds: readonly number[]): Promise<boolean> {
  const { runId } = held
  // No other phase follows, so that a cancel is refused from here on.
  await moveApplication(tenant, runId, { from: 'deploying', to: 'rolling_back' })
  await deployments(tenant).endConfirm(runId)
  const wanted = await deploymentHosts(tenant).want(runId, agentIds, {
    from: ['healthy', 'failed', 'staged', 'unreachable'],
    to: 'rolling_back',
    wanted: 'rollback',
  })
  await sayOfDeployment(tenant, runId, {
    level: 'warn',
    lines: [`Going back: ${namesOf(held, wanted)}.`],
  })
  return wanted.length > 0
}

/** No more names than a reader takes in. */
function namesOf({ hosts }: Held, ids: readonly number[]): string {
  const names = hosts.filter(({ id }) => ids.includes(id)).map(({ name }) => name)
  return names.length <= 20
    ? names.join(', ')
    : `${names.slice(0, 20).join(', ')} and ${names.length - 20} more`
}

async function askToConfirm(
  tenant: Tenant,
  { runId, deployment }: Held,
  { step, pipelineName }: { step: number; pipelineName: string },
): Promise<Advanced> {
  const isNew = await deployments(tenant).awaitConfirm(runId, step)
  if (isNew) {
    await auditLog(tenant, systemActor).record('pipeline.awaiting_approval', {
      target: { kind: 'run', id: runId, label: pipelineName },
      detail: { pipelineId: deployment.pipelineId, kind: 'application', step },
    })
    await sayOfDeployment(tenant, runId, [`Waiting for a person to confirm step ${step}.`])
    await approvers(tenant).queueMails([runId], `step ${step}`, 'application_run_id')
    await mails(tenant).announce()
  }
  return { next: 'wait', timeoutMs: pollMs }
}
