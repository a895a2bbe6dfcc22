import type { Tenant } from '../../store/driver/tenant.ts'
import { approvalExpiry } from '../../domain/runs/approval-expiry.ts'
import type { PlanPart } from '../../domain/infrastructure/plan-part.ts'
import { newToken } from '../../domain/access/credentials.ts'
import { withBudgetFindings } from '../../domain/finops/budgets/judge-reach.ts'
import { approvalRuleOf, type ApprovalReason } from '../../domain/runs/approval-reason.ts'
import { approvalReasonsOf, judgePlanBudgets } from '../../app/finops/judge-plan-budgets.ts'
import { mailApprovers } from '../../app/runs/mail-approvers.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { approvals } from '../../store/runs/approvals.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import {
  judgedPlan,
  type JudgedPlan,
  type PlanToApply,
} from '../../store/infrastructure/judged-plan.ts'
import { stages } from '../../store/runs/stages.ts'
import { takeApply } from '../../store/infrastructure/take-apply.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/runs/workspace-runs.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { digestOf } from './digest-of.ts'
import { isJudgedByToday } from './gate-rules.ts'
import type { FoundRun } from '../runs/find-run.ts'
import type { LoadedRun } from './load-run.ts'

export type Begun = { fence: number; token: string }

export type Received = {
  plan: PlanToApply
  /** Hashes of what was sent to the runner, computed while it passed. */
  sha256: Partial<Record<PlanPart, string>>
}

/**
 * The last check before an apply (docs/runs.md): compares digest, serial, approval and lock again,
 * and takes a new fencing number, the workspace's lock and the right to apply, in one transaction.
 * The digest is of the bytes that the runner received, so the plan that is applied is the one that
 * was approved. Returns undefined if the apply may not begin; the run then has its new phase.
 */
export async function beginApply(
  deps: Deps,
  loaded: LoadedRun,
  received: Received,
): Promise<Begun | undefined> {
  const { organizationId, run } = loaded
  return deps.store.tenant(organizationId, async (tenant) => {
    const workspace = await workspaces(tenant).getForUpdate(run.workspaceId)
    const now = await workspaceRuns(tenant).getForUpdate(run.id)
    if (now.phase !== 'apply_queued') return undefined

    const stored = await judgedPlan(tenant, run.id)
    const stale = whyStale(deps, { loaded, received, stored, planDigest: now.planDigest })
    if (stale !== undefined) {
      await endStale(tenant, loaded, stale)
      return undefined
    }
    // Rules that changed since the gates were evaluated: they are evaluated again first.
    if (!stored || !isJudgedByToday(stored)) return undefined
    if (!(await isApproved(tenant, { run: now, workspace, stored }))) return undefined
    return take(deps, tenant, run)
  })
}

/** Ends a run whose plan no longer holds, unless another worker applies it. */
export async function endStale(
  tenant: Tenant,
  { organizationId, run }: Pick<FoundRun, 'organizationId' | 'run'>,
  because: string,
): Promise<void> {
  await endRun(
    tenant,
    { organizationId, workspaceRunId: run.id, actor: systemActor },
    {
      phase: 'failed',
      from: ['apply_queued'],
      reason: 'plan_stale',
      message: `The plan no longer holds: ${because}. Start a new run.`,
    },
  )
}

type Comparison = {
  loaded: LoadedRun
  received: Received
  stored: JudgedPlan | undefined
  planDigest: string | null
}

function whyStale(
  deps: Deps,
  { loaded, received: { plan, sha256 }, stored, planDigest }: Comparison,
): string | undefined {
  if (!stored) return 'the plan is gone'
  const { state } = stored
  if (
    (state?.serial ?? null) !== plan.stateSerial ||
    (state?.lineage ?? null) !== plan.stateLineage
  )
    return 'the state was changed'
  // A plan that is made now never has the former one, so another name is found.
  if (![loaded.variablesMac, loaded.formerVariablesMac].includes(plan.variablesMac))
    return 'a variable, the cloud account or the name of the workspace was changed'
  if (deps.engineVersion !== plan.engineVersion)
    return `it was made with OpenTofu ${plan.engineVersion} and this is ${deps.engineVersion}`
  const { engineVersion, stateLineage, stateSerial, variablesMac } = plan
  const digest = digestOf({
    sha256,
    configurationSha256: loaded.configuration.filesSha256,
    engineVersion,
    stateLineage,
    stateSerial,
    variablesMac,
    // The one that the runner applies in. Its scripts and templates are no part of the plan file.
    folder: loaded.workspace.path,
  })
  return digest === planDigest ? undefined : 'it is not the plan that was made'
}

type Approvable = { run: WorkspaceRun; workspace: Workspace; stored: JudgedPlan }

/**
 * Whether the run needs no approval, or has one that its giver could still give now (docs/runs.md, "Who may
 * approve").
 */
async function isApproved(tenant: Tenant, asked: Approvable): Promise<boolean> {
  const { run, workspace } = asked
  const approval = await approvals(tenant).standing(run.id)
  // A second person's approval is of the plan with all it costs. A confirmation is of its changes alone.
  const isSecond = approval && approvalRuleOf(run.approvalReasons) !== 'confirm'
  const reasons = isSecond ? run.approvalReasons : await reasonsNow(tenant, asked)
  if (approval) {
    // Who confirmed the changes, be it a second person, has not seen what holds the run since.
    const isOutgrown = !isSecond && approvalRuleOf(reasons) !== 'confirm'
    const fault = isOutgrown
      ? 'it confirms the changes alone, and a second person is needed now'
      : await approvers(tenant).faultOfGiver(approval)
    if (!fault && approval.planDigest === run.planDigest) return true
    const label = workspace.name
    await waitAgain(tenant, { run, label, fault: fault ?? 'another plan', reasons })
    if (!isSecond) await mailApprovers(tenant, run)
    return false
  }
  if (reasons.length === 0) return true
  await waitAgain(tenant, { run, label: workspace.name, fault: 'no approval', reasons })
  await mailApprovers(tenant, run)
  return false
}

/**
 * Why the plan needs an approval by today's workspace and budgets, and why it was held before; stored
 * with the run, for the rule of who may approve reads it there. Between plan and apply the forecast
 * may have risen.
 */
async function reasonsNow(
  tenant: Tenant,
  { run, workspace, stored }: Approvable,
): Promise<ApprovalReason[]> {
  const budgets = await judgePlanBudgets(tenant, stored.plan.budgetReach)
  const now = approvalReasonsOf(workspace, budgets, run)
  const reasons = [...new Set([...run.approvalReasons, ...now])]
  if (reasons.length > 0)
    await workspaceRuns(tenant).patch(run.id, {
      approvalReasons: reasons,
      gates: withBudgetFindings(run.gates, budgets.findings),
    })
  return reasons
}

type Waiting = { run: WorkspaceRun; label: string; fault: string; reasons?: ApprovalReason[] }

async function waitAgain(tenant: Tenant, { run, label, fault, reasons }: Waiting): Promise<void> {
  await approvals(tenant).voidStanding(run.id, `approver: ${fault}`)
  const settings = await organizationSettings(tenant)
  await workspaceRuns(tenant).move(run.id, ['apply_queued'], {
    phase: 'awaiting_approval',
    approvalExpiresAt: approvalExpiry(settings, new Date()),
  })
  await stages(tenant).waitAgain(run.id)
  await auditLog(tenant, systemActor).record('pipeline.awaiting_approval', {
    target: { kind: 'run', id: run.id, label },
    detail: { because: fault, ...(reasons && { reasons }) },
  })
}

/** Not while a person holds the lock: the run waits, and shows it as `blockedBy`. */
async function take(
  { worker }: Deps,
  tenant: Tenant,
  { id, workspaceId }: Pick<WorkspaceRun, 'id' | 'workspaceId'>,
): Promise<Begun | undefined> {
  const { hash, prefix, plain } = newToken('run')
  const right = { workspaceRunId: id, workspaceId, worker, hash, prefix, hours: 5 }
  const fence = await takeApply(tenant, right)
  return fence === undefined ? undefined : { fence, token: plain }
}
