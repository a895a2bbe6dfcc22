import type { Tenant } from '../../store/driver/tenant.ts'
import type { PlanPart } from '../../domain/infrastructure/plan-part.ts'
import { newToken } from '../../domain/access/credentials.ts'
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
    if (!(await isApproved(tenant, { run: now, workspace }))) return undefined
    return take(deps, tenant, run)
  })
}

/** Ends a run whose plan no longer holds. */
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
  if (loaded.variablesMac !== plan.variablesMac)
    return 'a variable or the cloud account was changed'
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
  })
  return digest === planDigest ? undefined : 'it is not the plan that was made'
}

/** A production run needs an approval that its giver could still give now (docs/runs.md, "Who may approve"). */
async function isApproved(
  tenant: Tenant,
  { run, workspace: { name, criticality } }: { run: WorkspaceRun; workspace: Workspace },
): Promise<boolean> {
  const approval = await approvals(tenant).standing(run.id)
  if (!approval && criticality === 'standard') return true

  let fault: string | undefined = approval ? undefined : 'no approval'
  if (approval) {
    fault = await approvers(tenant).faultOfGiver(approval)
    if (!fault && approval.planDigest !== run.planDigest) fault = 'another plan'
  }
  if (!fault) return true
  await waitAgain(tenant, { workspaceRunId: run.id, label: name, fault })
  return false
}

async function waitAgain(
  tenant: Tenant,
  { workspaceRunId, label, fault }: { workspaceRunId: number; label: string; fault: string },
): Promise<void> {
  await approvals(tenant).voidStanding(workspaceRunId, `approver: ${fault}`)
  const { approvalExpiryHours } = await organizationSettings(tenant)
  await workspaceRuns(tenant).move(workspaceRunId, ['apply_queued'], {
    phase: 'awaiting_approval',
    approvalExpiresAt: new Date(Date.now() + approvalExpiryHours * 3_600_000),
  })
  await stages(tenant).waitAgain(workspaceRunId)
  await auditLog(tenant, systemActor).record('pipeline.awaiting_approval', {
    target: { kind: 'run', id: workspaceRunId, label },
    detail: { because: fault },
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
