import type { Caller } from '../../domain/access/caller.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { isTerminal, stateInWords } from '../../domain/pipelines/run-state.ts'
import { approverRefusals } from '../../domain/pipelines/approver-fault.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Db } from '../../store/connect.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { approvals } from '../../store/pipelines/approvals.ts'
import { approvers } from '../../store/pipelines/approvers.ts'
import { endRun } from '../../store/pipelines/end-run.ts'
import { pipelineRuns } from '../../store/pipelines/pipeline-runs.ts'
import { stages } from '../../store/pipelines/stages.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/pipelines/workspace-runs.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import { infrastructureRunId } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { presentRuns } from './present-runs.ts'
import type { RunBody } from './schemas.ts'

export type Decision = {
  pipelineId: number
  runId: number
  decision: 'approved' | 'rejected'
  planDigest?: string
  comment?: string
}

/** Lets a paused run proceed, or ends it (§4.4). The decision is Postgres's; the engine is told after. */
export async function decideRun(deps: Deps, caller: Caller, decision: Decision): Promise<RunBody> {
  let denial: Denial | undefined
  try {
    return await decide(deps, caller, { decision, deny: (why) => void (denial = why) })
  } catch (error) {
    // After the transaction of the decision, which its refusal has rolled back.
    if (denial) await recordDenial(deps, caller, denial)
    throw error
  }
}

type Denial = { runId: number; label: string; because: string }
type Request = { decision: Decision; deny: (denial: Denial) => void }

async function recordDenial(deps: Deps, caller: Caller, denial: Denial): Promise<void> {
  const { runId, label, because } = denial
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (db) =>
    auditLog(db, organizationId, actorOf(caller)).recordDenial(
      'pipeline.denied',
      `${caller.kind}:${caller.credentialId}`,
      {
        route: `approve run ${runId}`,
        target: { kind: 'run', id: runId, label },
        detail: { because },
      },
    ),
  )
}

async function decide(deps: Deps, caller: Caller, { decision, deny }: Request): Promise<RunBody> {
  const { organizationId } = caller
  return deps.store.tenant(organizationId, async (db) => {
    const place = await pipelineRuns(db, organizationId).get(decision.pipelineId, decision.runId)
    const runs = workspaceRuns(db, organizationId)
    const { workspaceId } = await runs.get(place.workspaceRunId)
    const workspace = await workspaces(db, organizationId).getForUpdate(workspaceId)
    const run = await runs.getForUpdate(place.workspaceRunId)

    if (await assertMayDecide(db, caller, { run, workspace, decision, deny }))
      await write(db, caller, { run, workspace, decision })
    const [body] = await presentRuns(db, caller, { runIds: [run.id], places: [place] })
    if (!body) throw new Error('a run that was just decided is gone')
    return body
  })
}

type Target = { run: WorkspaceRun; workspace: Workspace; decision: Decision }

/** False where the same person has decided the same of this live run: the same answer again, and nothing is written twice. */
async function assertMayDecide(
  db: Db,
  caller: Caller,
  { run, workspace, decision, deny }: Target & Request,
): Promise<boolean> {
  const { organizationId } = caller
  const guarded = workspace.criticality === 'production' || run.phase === 'awaiting_approval'
  if (guarded && decision.decision === 'approved') {
    const fault = await approvers(db, organizationId).faultOfCaller(run.id, caller)
    if (fault) {
      deny({ runId: run.id, label: workspace.name, because: fault })
      const { code, because } = approverRefusals[fault]
      throw new AppError('forbidden', because, { code })
    }
  }
  if (decision.planDigest !== undefined && decision.planDigest !== run.planDigest)
    throw conflict('plan_changed', 'The plan is another one than the one you looked at.')
  if (run.phase !== 'awaiting_approval') {
    const standing = await approvals(db, organizationId).standing(run.id)
    const isSame = standing?.userId === caller.userId && standing.decision === decision.decision
    if (isSame && !isTerminal(run.phase)) return false
    throw conflict(
      'run_not_waiting',
      `This run does not wait for a decision: ${stateInWords(run)}.`,
    )
  }
  return true
}

async function write(db: Db, caller: Caller, { run, workspace, decision }: Target): Promise<void> {
  const { organizationId } = caller
  const { decision: verdict, comment } = decision
  const actor = actorOf(caller)
  await approvals(db, organizationId).create({
    workspaceRunId: run.id,
    userId: caller.userId,
    decision: verdict,
    comment: comment ?? null,
    planDigest: run.planDigest ?? '',
    idpSavedBy: (await approvers(db, organizationId).of(caller)).idpSavedBy,
  })
  const label = caller.email ?? caller.name
  const target = { kind: 'run', id: run.id, label: workspace.name }
  const detail = { planDigest: run.planDigest, ...(comment !== undefined && { comment }) }
  const stageRows = stages(db, organizationId)
  if (verdict === 'approved') {
    await workspaceRuns(db, organizationId).move(run.id, ['awaiting_approval'], {
      phase: 'apply_queued',
    })
    await stageRows.set(run.id, 'approve', { state: 'succeeded', by: label, ended: true })
    await stageRows.set(run.id, 'apply', { state: 'queued' })
    await auditLog(db, organizationId, actor).record('pipeline.run_approved', { target, detail })
  } else {
    await stageRows.set(run.id, 'approve', { state: 'failed', by: label, ended: true })
    await auditLog(db, organizationId, actor).record('pipeline.run_rejected', { target, detail })
    await endRun(
      db,
      { organizationId, runId: run.id, actor },
      { phase: 'failed', reason: 'rejected', message: `Rejected by ${label}.` },
    )
  }
  const workflowId = infrastructureRunId({ organizationId, runId: run.id })
  await outbox(db, organizationId).wake(workflowId, `decided:${workflowId}:${Date.now()}`)
}
