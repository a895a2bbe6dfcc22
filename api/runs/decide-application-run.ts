import { letDeploy } from '../../app/runs/let-deploy.ts'
import { endApplicationRun } from '../../app/runs/end-application-run.ts'
import { wakeApplication } from '../../app/runs/wake-application.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { isTerminal } from '../../domain/runs/run-state.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { deployments, type DeploymentRow } from '../../store/deployments/deployments.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { lockApplication } from '../../store/runs/move-application.ts'
import { releaseApprovals } from '../../store/runs/release-approvals.ts'
import { releases, type Release } from '../../store/runs/releases.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { ApproverDenied } from './approver-denied.ts'

type Verdict = 'approved' | 'rejected'

export type ReleaseDecision = {
  decision: Verdict
  planDigest?: string
  /** The step that the caller looked at: 0 is the release. Absent: the one that waits. */
  step?: number
  comment?: string
}

type Target = {
  release: Release
  deployment: DeploymentRow | undefined
  decision: ReleaseDecision
}

/**
 * Approves or rejects a release before its deployment, or a step of it. Nothing is sent to a host before
 * the first; the run's digest is what both are bound to. Idempotent for the same person.
 */
export async function decideApplicationRun(
  tenant: Tenant,
  caller: Caller,
  { runId, ...decision }: ReleaseDecision & { runId: number },
): Promise<void> {
  const rows = releases(tenant)
  await rows.holdPipeline(await rows.pipelineOf(runId))
  await lockApplication(tenant, runId)
  const release = await rows.get(runId)
  const deployment = await deployments(tenant).find(runId)
  const step = stepOf(release, deployment)
  // A second click, and one that comes late, must not answer for the step that waits by now.
  const isOther = decision.step !== undefined && decision.step !== step
  if (
    (step === undefined || isOther) &&
    (await isRepeated(tenant, caller, { release, deployment, decision }))
  )
    return
  await assertMayDecide(tenant, caller, { release, deployment, decision, step })
  if (step === undefined) throw notWaiting(release)
  if (isOfOther(release, decision))
    throw conflict('plan_changed', 'The release is another one than the one you looked at.')
  if (isOther) throw otherStep(step)
  await write(tenant, caller, { release, deployment, decision, step })
}

/** The step that waits for a decision: 0 is the release itself. */
function stepOf({ phase }: Release, deployment: DeploymentRow | undefined): number | undefined {
  if (phase === 'awaiting_approval') return 0
  return phase === 'deploying' ? (deployment?.confirmStep ?? undefined) : undefined
}

const notWaiting = ({ phase }: Release) =>
  conflict(
    'run_not_waiting',
    `This run does not wait for a decision: it is ${phase.replaceAll('_', ' ')}.`,
  )

const otherStep = (step: number) =>
  conflict(
    'step_changed',
    step === 0
      ? 'What waits for a decision is the release, and not a step of its deployment. Look at the run again.'
      : `What waits for a decision is step ${step}, and not the one you looked at. Look at the run again.`,
  )

const isOfOther = ({ releaseDigest }: Release, { planDigest }: ReleaseDecision): boolean =>
  planDigest !== undefined && planDigest !== releaseDigest

/** The same person sends the decision again that the run has: the answer is repeated, and nothing is written. */
async function isRepeated(
  tenant: Tenant,
  caller: Caller,
  { release, deployment, decision }: Target,
): Promise<boolean> {
  if (isTerminal(release.phase)) return false
  if (isOfOther(release, decision)) return false
  const step = decision.step ?? deployment?.confirmed.at(-1) ?? 0
  const standing = await releaseApprovals(tenant).standing(release.runId, step)
  return standing?.userId === caller.userId && standing.decision === decision.decision
}

async function assertMayDecide(
  tenant: Tenant,
  caller: Caller,
  { release, decision, step }: Target & { step: number | undefined },
): Promise<void> {
  const isGuarded = release.criticality === 'production' || step !== undefined
  if (isGuarded && decision.decision === 'approved') {
    const fault = await approvers(tenant).faultOfCaller(release.runId, caller)
    if (fault) throw new ApproverDenied(fault, { id: release.runId, label: release.pipelineName })
  }
}

async function write(
  tenant: Tenant,
  caller: Caller,
  { release, decision, step }: Target & { step: number },
): Promise<void> {
  const { runId, pipelineId, pipelineName, releaseDigest } = release
  const { decision: verdict, comment } = decision
  const actor = actorOf(caller)
  const label = caller.email ?? caller.name
  await releaseApprovals(tenant).create({
    pipelineRunId: runId,
    step,
    userId: caller.userId,
    decision: verdict,
    comment: comment ?? null,
    planDigest: releaseDigest ?? '',
    stateVersionId: step === 0 ? await stateOfTarget(tenant, release) : null,
    credential: caller,
  })
  await auditLog(tenant, actor).record(
    verdict === 'approved' ? 'pipeline.run_approved' : 'pipeline.run_rejected',
    {
      target: { kind: 'run', id: runId, label: pipelineName },
      detail: {
        pipelineId,
        kind: 'application',
        planDigest: releaseDigest,
        rule: step > 0 && release.criticality !== 'production' ? 'confirm' : 'second_operator',
        ...(step > 0 && { step }),
        ...(comment !== undefined && { comment }),
      },
    },
  )
  if (step > 0) return decideStep(tenant, { release, step, verdict })
  if (verdict === 'approved')
    return letDeploy(tenant, { runId, from: 'awaiting_approval', by: label })
  await endApplicationRun(
    tenant,
    { runId, actor, from: ['awaiting_approval'] },
    { phase: 'failed', reason: 'rejected', message: `Rejected by ${label}.`, by: label },
  )
  await wakeApplication(tenant, runId, 'decided')
}

/** Hooks are given outputs of it: the approval holds while these stay the same. */
async function stateOfTarget(
  tenant: Tenant,
  { targetWorkspaceId }: Release,
): Promise<number | null> {
  if (targetWorkspaceId === null) return null
  const version = await stateVersions(tenant).current(targetWorkspaceId)
  return version?.id ?? null
}

/** No to a step stops the deployment, so that the hosts that have it go back. */
async function decideStep(
  tenant: Tenant,
  { release, step, verdict }: Pick<Target, 'release'> & { step: number; verdict: Verdict },
): Promise<void> {
  const { runId, releaseDigest } = release
  if (verdict === 'approved') {
    if (!(await deployments(tenant).confirm(runId, { step, releaseDigest }))) throw otherStep(step)
  } else {
    await deployments(tenant).endConfirm(runId)
    await deployments(tenant).requestStop(runId, 'canceled')
  }
  await wakeApplication(tenant, runId, 'decided')
}
