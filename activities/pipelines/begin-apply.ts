import { planDigest } from '../../domain/pipelines/plan-digest.ts'
import { refusalInWords, refusedIn } from '../../domain/workspaces/refused-configuration.ts'
import { newToken } from '../../domain/access/credentials.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Db } from '../../store/connect.ts'
import { applyAttempts } from '../../store/pipelines/apply-attempts.ts'
import { approvals } from '../../store/pipelines/approvals.ts'
import { approvers } from '../../store/pipelines/approvers.ts'
import { endRun, type RunEnd } from '../../store/pipelines/end-run.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { stages } from '../../store/pipelines/stages.ts'
import { workspaceRuns } from '../../store/pipelines/workspace-runs.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import type { LoadedRun } from './load-run.ts'
import { openPlan } from './open-plan.ts'
import { isJudgedByToday } from './recheck-gates.ts'

export type Begun = {
  fence: number
  token: string
  planFile: Buffer
  lockFile: Buffer | null
  modules: Buffer | null
}

/**
 * The last look before an apply (runs.md, "apply queued"): digest, serial, approval and
 * lock are checked again, and a new fencing number, the workspace's lock and the one
 * right to run are taken, all in one transaction. Undefined where the run may not begin;
 * it has then been moved to where it belongs.
 */
export async function beginApply(deps: Deps, loaded: LoadedRun): Promise<Begun | undefined> {
  const { organizationId, run } = loaded
  return deps.store.tenant(organizationId, async (db) => {
    await workspaces(db, organizationId).getForUpdate(run.workspaceId)
    const now = await workspaceRuns(db, organizationId).getForUpdate(run.id)
    if (now.phase !== 'apply_queued') return undefined

    const plan = await openPlan(deps, db, { organizationId, runId: run.id })
    const stale = plan ? await whyStale(deps, db, { loaded, plan }) : 'the plan is gone'
    if (stale !== undefined || !plan) {
      await end(db, loaded, {
        phase: 'failed',
        reason: 'plan_stale',
        message: `The plan no longer holds: ${stale ?? 'it is gone'}. Start a new run.`,
      })
      return undefined
    }
    // Rules that changed since the gates were last asked: they are asked again first.
    if (!(await isJudgedByToday(db, organizationId, plan))) return undefined
    if (!(await isApproved(db, loaded))) return undefined
    return take(deps, db, { loaded, plan })
  })
}

type OpenPlan = NonNullable<Awaited<ReturnType<typeof openPlan>>>

async function whyStale(
  deps: Deps,
  db: Db,
  { loaded, plan }: { loaded: LoadedRun; plan: OpenPlan },
): Promise<string | undefined> {
  const { organizationId, run } = loaded
  const current = await stateVersions(db, organizationId).current(run.workspaceId)
  if (
    (current?.serial ?? null) !== plan.row.stateSerial ||
    (current?.lineage ?? null) !== plan.row.stateLineage
  )
    return 'the state was changed'
  // A version that was stored, and planned, before this was refused.
  const [refused] = refusedIn(loaded.files)
  if (refused) return refusalInWords(refused)
  if (loaded.variablesMac !== plan.row.variablesMac) return 'a variable was changed'
  if (deps.engineVersion !== plan.row.engineVersion)
    return `it was made with OpenTofu ${plan.row.engineVersion} and this is ${deps.engineVersion}`
  const digest = planDigest({
    planFile: plan.planFile,
    lockFile: plan.lockFile,
    modules: plan.modules,
    configurationSha256: loaded.configuration.filesSha256,
    engineVersion: plan.row.engineVersion,
    stateLineage: plan.row.stateLineage,
    stateSerial: plan.row.stateSerial,
    variablesMac: plan.row.variablesMac,
  })
  return digest === run.planDigest ? undefined : 'it is not the plan that was made'
}

/** Production needs an approval that would be given today: its giver active, able, and no author (runs.md). */
async function isApproved(
  db: Db,
  { organizationId, run, workspace: { name } }: LoadedRun,
): Promise<boolean> {
  const { criticality } = await workspaces(db, organizationId).get(run.workspaceId)
  const approval = await approvals(db, organizationId).standing(run.id)
  if (!approval && criticality === 'standard') return true

  let fault: string | undefined = approval ? undefined : 'no approval'
  if (approval) {
    fault = await approvers(db, organizationId).faultOfGiver(approval)
    if (!fault && approval.planDigest !== run.planDigest) fault = 'another plan'
  }
  if (!fault) return true
  await waitAgain(db, { organizationId, runId: run.id, label: name, fault })
  return false
}

async function waitAgain(
  db: Db,
  {
    organizationId,
    runId,
    label,
    fault,
  }: { organizationId: number; runId: number; label: string; fault: string },
): Promise<void> {
  await approvals(db, organizationId).voidStanding(runId, `approver: ${fault}`)
  const { approvalExpiryHours } = await organizationSettings(db, organizationId)
  await workspaceRuns(db, organizationId).move(runId, ['apply_queued'], {
    phase: 'awaiting_approval',
    approvalExpiresAt: new Date(Date.now() + approvalExpiryHours * 3_600_000),
  })
  await stages(db, organizationId).set(runId, 'approve', { state: 'waiting', by: null })
  await auditLog(db, organizationId, systemActor).record('pipeline.awaiting_approval', {
    target: { kind: 'run', id: runId, label },
    detail: { because: fault },
  })
}

async function take(
  deps: Deps,
  db: Db,
  { loaded, plan }: { loaded: LoadedRun; plan: OpenPlan },
): Promise<Begun | undefined> {
  const { organizationId, run } = loaded
  const locks = workspaceLocks(db, organizationId)
  const held = await locks.find(run.workspaceId)
  // Somebody's own lock: the run waits, and is shown as held back by it.
  if (held && held.workspaceRunId !== run.id) return undefined
  const fence = await workspaces(db, organizationId).raiseFence(run.workspaceId)
  if (!(await applyAttempts(db, organizationId).take(run.id, fence, deps.worker))) return undefined
  await locks.take({
    workspaceId: run.workspaceId,
    kind: 'run',
    workspaceRunId: run.id,
    label: `run ${run.id}`,
  })
  const secret = newToken('run')
  await tokens(db, organizationId).revokeOfRun(run.id)
  await tokens(db, organizationId).createRunToken({
    workspaceRunId: run.id,
    runPhase: 'apply',
    fence,
    hash: secret.hash,
    prefix: secret.prefix,
    hours: 5,
  })
  await workspaceRuns(db, organizationId).move(run.id, ['apply_queued'], { phase: 'applying' })
  await stages(db, organizationId).begin(run.id, 'apply')
  await db.raw(`select pg_notify('cc_run', ?)`, [String(run.id)])
  const { planFile, lockFile, modules } = plan
  return { fence, token: secret.plain, planFile, lockFile, modules }
}

async function end(db: Db, { organizationId, run }: LoadedRun, how: RunEnd): Promise<void> {
  await endRun(db, { organizationId, runId: run.id, actor: systemActor }, how)
}
