import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { conflict, invalid } from '../../domain/errors.ts'
import { isTerminal, isWaitingForApproval, stateInWords } from '../../domain/runs/run-state.ts'
import { approvalRuleOf } from '../../domain/runs/approval-reason.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { approvals } from '../../store/runs/approvals.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { deniedCaller, notingDenial } from '../../app/audit/note-denial.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { beginRun, promoteNext } from '../../app/runs/promote-next.ts'
import { planApproved } from '../../store/runs/stage-moves.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/runs/workspace-runs.ts'
import { configurationVersions } from '../../store/workspaces/configuration-versions.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import { infrastructureRunId } from '../../workflows/infrastructure/contract.ts'
import type { Deps } from '../deps.ts'
import { ApproverDenied } from './approver-denied.ts'
import { decideApplicationRun } from './decide-application-run.ts'
import { presentRuns, type RunPlace } from './present-runs.ts'
import type { RunBody } from './schemas.ts'

export type Decision = {
  /** Where the run was addressed: in a pipeline or in its workspace. */
  place: (tenant: Tenant) => Promise<RunPlace & { workspaceId: number | null }>
  decision: 'approved' | 'rejected'
  planDigest?: string
  /** For a run that is not planned yet: the hash of the files that the caller looked at. */
  configurationSha256?: string
  /** Of a deployment: the step that the caller looked at. */
  step?: number
  comment?: string
}

/** Approves or rejects a waiting run. The decision is a row in PostgreSQL; Temporal is signaled after the commit. */
export async function decideRun(deps: Deps, caller: Caller, decision: Decision): Promise<RunBody> {
  return notingDenial(
    { store: deps.store, denied: [deniedCaller(caller)] },
    (error) => (error instanceof ApproverDenied ? error.denial : undefined),
    async () => decide(deps, caller, decision),
  )
}

async function decide(deps: Deps, caller: Caller, decision: Decision): Promise<RunBody> {
  const { organizationId } = caller
  const run = await deps.store.tenant(organizationId, async (tenant) => {
    const place = await decision.place(tenant)
    await (place.workspaceRunId === null || place.workspaceId === null
      ? decideApplicationRun(tenant, caller, { ...decision, runId: place.id })
      : decideWorkspaceRun(tenant, caller, {
          decision,
          workspaceId: place.workspaceId,
          workspaceRunId: place.workspaceRunId,
        }))
    const [body] = await presentRuns(tenant, caller, { places: [place] })
    if (!body) throw new Error('a run that was just decided is gone')
    return body
  })
  // Thrown after the commit, which stores the run's present values and mails who may approve them. After an answer of
  // success a person would click again, and approve values that nobody looked at.
  if (decision.decision === 'approved' && run.awaitingPlanApproval)
    throw conflict(
      'plan_changed',
      'The variables or the folder were changed, or not noted yet, when this approval was asked for. Look at them, then approve again.',
    )
  return run
}

async function decideWorkspaceRun(
  tenant: Tenant,
  caller: Caller,
  place: { decision: Decision; workspaceId: number; workspaceRunId: number },
): Promise<void> {
  const { decision } = place
  if (decision.step !== undefined)
    throw invalid('A run of an infrastructure pipeline has no steps.', [
      { path: 'step', message: 'is for deployments of applications' },
    ])
  // Sent together. PostgreSQL runs them in this order: the workspace's row is locked first.
  const [workspace, run] = await Promise.all([
    workspaces(tenant).getForUpdate(place.workspaceId),
    workspaceRuns(tenant).getForUpdate(place.workspaceRunId),
  ])

  if (await assertMayDecide(tenant, caller, { run, workspace, decision }))
    await write(tenant, caller, { run, workspace, decision })
}

type Target = { run: WorkspaceRun; workspace: Workspace; decision: Decision }

/** False if the same person already made the same decision: the answer is repeated and nothing is written. */
async function assertMayDecide(
  tenant: Tenant,
  caller: Caller,
  { run, workspace, decision }: Target,
): Promise<boolean> {
  const guarded = workspace.criticality === 'production' || isWaitingForApproval(run.phase)
  if (guarded && decision.decision === 'approved') {
    const fault = await approvers(tenant).faultOfCaller(run.id, caller)
    if (fault) throw new ApproverDenied(fault, { id: run.id, label: workspace.name })
  }
  const isOther = decision.planDigest !== undefined && decision.planDigest !== run.planDigest
  if (isOther && isWaitingForApproval(run.phase))
    throw conflict('plan_changed', 'The plan is another one than the one you looked at.')
  if (run.phase === 'awaiting_plan_approval') {
    if (decision.decision === 'approved') await assertFilesSeen(tenant, { run, decision })
    return true
  }
  // A repeated approval of the files is no approval of the plan that was made of them meanwhile.
  const stage = decision.configurationSha256 === undefined ? 'approve' : 'plan'
  if (stage === 'plan' || run.phase !== 'awaiting_approval') {
    const standing = await approvals(tenant).standing(run.id, stage)
    const isSame = standing?.userId === caller.userId && standing.decision === decision.decision
    if (isSame && !isOther && !isTerminal(run.phase)) return false
    throw conflict(
      'run_not_waiting',
      `This run does not wait for a decision: ${stateInWords(run)}.`,
    )
  }
  return true
}

/** An approval before the plan is bound to the files that the caller looked at, as one of a plan is to its digest. */
async function assertFilesSeen(
  tenant: Tenant,
  { run, decision: { configurationSha256 } }: Pick<Target, 'run' | 'decision'>,
): Promise<void> {
  const version = await configurationVersions(tenant).get(run.configurationVersionId)
  if (configurationSha256 === undefined)
    throw invalid(
      'Only its author has seen what this run would plan. Look at its files, and send the hash of what you looked at.',
      [{ path: 'configurationSha256', message: 'is required before there is a plan' }],
      'files_not_seen',
    )
  if (configurationSha256 !== version.filesSha256)
    throw conflict('configuration_changed', 'The files are others than those you looked at.')
}

async function write(
  tenant: Tenant,
  caller: Caller,
  { run, workspace, decision }: Target,
): Promise<void> {
  const { organizationId } = caller
  const { decision: verdict, comment } = decision
  const actor = actorOf(caller)
  const stage = run.phase === 'awaiting_plan_approval' ? 'plan' : 'approve'
  const label = caller.email ?? caller.name
  const target = { kind: 'run', id: run.id, label: workspace.name }
  const detail = {
    planDigest: run.planDigest,
    ...ruleOf(caller, { run, workspace }),
    ...(stage === 'plan' && { stage, configurationSha256: decision.configurationSha256 }),
    ...(comment !== undefined && { comment }),
  }
  // The rows are locked and nothing below reads an earlier answer, so the statements are sent together.
  const decided: Array<Promise<unknown>> = [
    approvals(tenant).create({
      workspaceRunId: run.id,
      userId: caller.userId,
      decision: verdict,
      stage,
      comment: comment ?? null,
      planDigest: run.planDigest ?? decision.configurationSha256 ?? '',
      credential: caller,
    }),
    auditLog(tenant, actor).record(
      verdict === 'approved' ? 'pipeline.run_approved' : 'pipeline.run_rejected',
      { target, detail },
    ),
  ]
  const workflowId = infrastructureRunId({ organizationId, workspaceRunId: run.id })
  const wake = async () => outbox(tenant).wake(workflowId, `decided:${workflowId}:${Date.now()}`)
  if (verdict === 'rejected') {
    decided.push(stages(tenant).set(run.id, stage, { state: 'failed', by: label, ended: true }))
    await Promise.all(decided)
    await endRun(
      tenant,
      { organizationId, workspaceRunId: run.id, actor, held: { run, workspace } },
      { phase: 'failed', reason: 'rejected', message: `Rejected by ${label}.` },
    )
    // A run that is not planned yet has no workflow.
    if (stage === 'approve') await wake()
  } else if (stage === 'plan') {
    await Promise.all(decided)
    await beginApproved(tenant, run)
  } else {
    const moved = workspaceRuns(tenant).moveWithStages(run.id, ['awaiting_approval'], {
      change: { phase: 'apply_queued' },
      stages: planApproved(label),
    })
    await Promise.all([...decided, moved, wake()])
  }
}

/**
 * What the decision answers, for a reader of the audit log: a second person's look or a confirmation, why the run waited
 * for it (before a plan: for files or values that only its author has seen, or modules that can change), and whether it is of the caller's own run.
 */
function ruleOf(caller: Caller, { run, workspace }: Omit<Target, 'decision'>) {
  const reasons =
    run.phase === 'awaiting_plan_approval'
      ? [`unseen_${run.unseenBecause ?? 'files'}`]
      : run.approvalReasons
  const isConfirmation =
    run.phase !== 'awaiting_plan_approval' &&
    workspace.criticality === 'standard' &&
    approvalRuleOf(run.approvalReasons) === 'confirm'
  return {
    rule: isConfirmation ? 'confirm' : 'second_operator',
    reasons,
    ownRun: run.authorUserId === caller.userId,
  }
}

/** Queues the run again. The next look at the queue finds that its files are approved. */
async function beginApproved(tenant: Tenant, run: WorkspaceRun): Promise<void> {
  const runs = workspaceRuns(tenant)
  await runs.move(run.id, ['awaiting_plan_approval'], { phase: 'queued', approvalExpiresAt: null })
  await stages(tenant).set(run.id, 'plan', { state: 'queued' })
  if (run.kind === 'apply') await promoteNext(tenant, run.workspaceId)
  else await beginRun(tenant, await runs.get(run.id))
}
