import type { Tenant } from '../../store/driver/tenant.ts'
import type { PlanPart } from '../../domain/infrastructure/plan-part.ts'
import { newToken } from '../../domain/access/credentials.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { applyAttempts } from '../../store/infrastructure/apply-attempts.ts'
import { approvals } from '../../store/runs/approvals.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { plans, type StoredPlan } from '../../store/infrastructure/plans.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { digestOf } from './digest-of.ts'
import type { LoadedRun } from './load-run.ts'
import { isJudgedByToday } from './recheck-gates.ts'

export type Begun = { fence: number; token: string }

export type Received = {
  plan: StoredPlan
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
    await workspaces(tenant).getForUpdate(run.workspaceId)
    const now = await workspaceRuns(tenant).getForUpdate(run.id)
    if (now.phase !== 'apply_queued') return undefined

    const stale = await whyStale(deps, tenant, { loaded, received })
    if (stale !== undefined) {
      await endStale(tenant, loaded, stale)
      return undefined
    }
    // Rules that changed since the gates were evaluated: they are evaluated again first.
    const plan = await plans(tenant).get(run.id)
    if (!plan || !(await isJudgedByToday(tenant, plan))) return undefined
    if (!(await isApproved(tenant, loaded))) return undefined
    return take(deps, tenant, loaded)
  })
}

/** Ends a run whose plan no longer holds. */
export async function endStale(
  tenant: Tenant,
  { organizationId, run }: Pick<LoadedRun, 'organizationId' | 'run'>,
  because: string,
): Promise<void> {
  await endRun(
    tenant,
    { organizationId, runId: run.id, actor: systemActor },
    {
      phase: 'failed',
      reason: 'plan_stale',
      message: `The plan no longer holds: ${because}. Start a new run.`,
    },
  )
}

async function whyStale(
  deps: Deps,
  tenant: Tenant,
  { loaded, received: { plan, sha256 } }: { loaded: LoadedRun; received: Received },
): Promise<string | undefined> {
  const { run } = loaded
  const current = await stateVersions(tenant).current(run.workspaceId)
  if (
    (current?.serial ?? null) !== plan.stateSerial ||
    (current?.lineage ?? null) !== plan.stateLineage
  )
    return 'the state was changed'
  if (loaded.variablesMac !== plan.variablesMac) return 'a variable was changed'
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
  return digest === run.planDigest ? undefined : 'it is not the plan that was made'
}

/** A production run needs an approval that its giver could still give now (docs/runs.md, "Who may approve"). */
async function isApproved(
  tenant: Tenant,
  { organizationId, run, workspace: { name } }: LoadedRun,
): Promise<boolean> {
  const { criticality } = await workspaces(tenant).get(run.workspaceId)
  const approval = await approvals(tenant).standing(run.id)
  if (!approval && criticality === 'standard') return true

  let fault: string | undefined = approval ? undefined : 'no approval'
  if (approval) {
    fault = await approvers(tenant).faultOfGiver(approval)
    if (!fault && approval.planDigest !== run.planDigest) fault = 'another plan'
  }
  if (!fault) return true
  await waitAgain(tenant, { organizationId, runId: run.id, label: name, fault })
  return false
}

async function waitAgain(
  tenant: Tenant,
  { runId, label, fault }: { organizationId: number; runId: number; label: string; fault: string },
): Promise<void> {
  await approvals(tenant).voidStanding(runId, `approver: ${fault}`)
  const { approvalExpiryHours } = await organizationSettings(tenant)
  await workspaceRuns(tenant).move(runId, ['apply_queued'], {
    phase: 'awaiting_approval',
    approvalExpiresAt: new Date(Date.now() + approvalExpiryHours * 3_600_000),
  })
  await stages(tenant).waitAgain(runId)
  await auditLog(tenant, systemActor).record('pipeline.awaiting_approval', {
    target: { kind: 'run', id: runId, label },
    detail: { because: fault },
  })
}

async function take(deps: Deps, tenant: Tenant, { run }: LoadedRun): Promise<Begun | undefined> {
  const locks = workspaceLocks(tenant)
  const held = await locks.find(run.workspaceId)
  // A person's lock: the run waits, and shows it as `blockedBy`.
  if (held && held.workspaceRunId !== run.id) return undefined
  const fence = await workspaces(tenant).raiseFence(run.workspaceId)
  if (!(await applyAttempts(tenant).take(run.id, fence, deps.worker))) return undefined
  await locks.take({
    workspaceId: run.workspaceId,
    kind: 'run',
    workspaceRunId: run.id,
    label: `run ${run.id}`,
  })
  const secret = newToken('run')
  await tokens(tenant).revokeOfRun(run.id)
  await tokens(tenant).createRunToken({
    workspaceRunId: run.id,
    runPhase: 'apply',
    fence,
    hash: secret.hash,
    prefix: secret.prefix,
    hours: 5,
  })
  await workspaceRuns(tenant).move(run.id, ['apply_queued'], { phase: 'applying' })
  await stages(tenant).begin(run.id, 'apply')
  await workspaceRuns(tenant).announce(run.id)
  return { fence, token: secret.plain }
}
