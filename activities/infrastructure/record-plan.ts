import type { Tenant } from '../../store/driver/tenant.ts'
import { approvalExpiry } from '../../domain/runs/approval-expiry.ts'
import type { RunReason } from '../../domain/runs/run-state.ts'
import type { Planned } from '../../gateways/runner/protocol.ts'
import { withBudgetFindings } from '../../domain/finops/budgets/judge-reach.ts'
import { approvalReasonsOf, judgePlanBudgets } from '../../app/finops/judge-plan-budgets.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { mailApprovers } from '../../app/runs/mail-approvers.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { endRun, type RunEnd } from '../../app/runs/end-run.ts'
import { isNewestPlan } from '../../store/infrastructure/begin-plan.ts'
import { plans } from '../../store/infrastructure/plans.ts'
import { logLines } from '../../store/runs/log-lines.ts'
import { stages } from '../../store/runs/stages.ts'
import { planPasses } from '../../store/runs/stage-moves.ts'
import { workspaceRuns, type RunChange } from '../../store/runs/workspace-runs.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import { hasRoomAbove } from '../../domain/workspaces/judge-state-write.ts'
import type { Deps } from '../deps.ts'
import { digestOf } from './digest-of.ts'
import type { GateVersions } from './gate-rules.ts'
import type { FoundRun } from '../runs/find-run.ts'
import type { LoadedRun } from './load-run.ts'
import type { PlanWriter } from './write-plan.ts'

export type FinishedPlan = Planned & {
  plan: PlanWriter
  /** The rules that the worker sent, not what the runner reports. */
  judgedBy: GateVersions & { resourceTypes: string[] }
}

/**
 * Stores a plan and moves its run on, in one transaction. A failed gate, an empty plan or a
 * plan-only run ends it; a production run, and one that would break a budget which holds runs, waits
 * for a second person; a run that asks for a confirmation waits for any; any other run of a standard
 * workspace goes on to its apply.
 */
export async function recordPlan(deps: Deps, loaded: LoadedRun, plan: FinishedPlan): Promise<void> {
  const { organizationId, run } = loaded
  const { summary, gates, cost, reach, denied } = plan
  const digest = digestOf({
    sha256: plan.plan.written().sha256,
    configurationSha256: loaded.configuration.filesSha256,
    engineVersion: deps.engineVersion,
    stateLineage: loaded.state?.lineage ?? null,
    stateSerial: loaded.state?.serial ?? null,
    variablesMac: loaded.variablesMac,
    folder: loaded.workspace.path,
  })

  await deps.store.tenant(organizationId, async (tenant) => {
    const workspace = await workspaces(tenant).getForUpdate(run.workspaceId)
    const now = await workspaceRuns(tenant).getForUpdate(run.id)
    if (now.phase !== 'planning') return
    await savePlan(deps, tenant, { loaded, plan })
    const budgets = await judgePlanBudgets(tenant, denied ? [] : reach)
    const made: RunChange = {
      planDigest: digest,
      summary: { ...summary },
      cost,
      gates: withBudgetFindings(gates, budgets.findings),
      authorshipThrough: loaded.authorshipThrough,
    }
    const approvalReasons = approvalReasonsOf(workspace, budgets, { ...now, summary })
    const end = await endOfPlan(tenant, {
      loaded,
      plan,
      workspace,
      isCanceled: now.cancelRequestedAt !== null,
    })
    if (end) {
      await stages(tenant).set(run.id, 'plan', {
        state: denied ? 'failed' : 'succeeded',
        ended: true,
      })
      const place = {
        organizationId,
        workspaceRunId: run.id,
        actor: loaded.actor,
        held: { run, workspace },
      }
      await endRun(tenant, place, { ...end, change: made })
    } else if (approvalReasons.length > 0) {
      await pauseForApproval(tenant, loaded, { ...made, approvalReasons })
    } else {
      await workspaceRuns(tenant).moveWithStages(run.id, ['planning'], {
        change: { ...made, phase: 'apply_queued' },
        stages: planPasses('apply'),
      })
    }
  })
}

type EndingPlan = {
  loaded: LoadedRun
  plan: FinishedPlan
  /** As it is now, locked. */
  workspace: Pick<Workspace, 'path'>
  isCanceled: boolean
}

/** How the run ends with its plan. Undefined for a plan that may be applied. */
async function endOfPlan(
  tenant: Tenant,
  { loaded, plan, workspace, isCanceled }: EndingPlan,
): Promise<RunEnd | undefined> {
  const { run } = loaded
  const { summary, denied } = plan
  if (isCanceled) return { phase: 'canceled', reason: 'canceled_by_user' }
  if (denied) return { phase: 'failed', ...denied }
  if (run.kind === 'plan')
    return { phase: 'succeeded', ...(summary.noChanges && { reason: 'no_changes' as const }) }
  const changed = await changedSince(tenant, loaded, workspace)
  if (changed)
    return {
      phase: 'failed',
      reason: 'plan_stale',
      message: `The ${changed} was changed while this was planned. Start a new run.`,
    }
  if (loaded.state && !hasRoomAbove(loaded.state.serial))
    return {
      phase: 'failed',
      reason: 'plan_errored',
      message: `The state has serial ${loaded.state.serial}, and nothing above it can be stored: an apply would lose what it changes. Restore the version with a new lineage (newLineage), which begins at serial 1.`,
    }
  if (!summary.noChanges) return undefined
  // Nothing was applied, so nobody's authorship ends: what they wrote may change something later.
  return { phase: 'succeeded', reason: 'no_changes' }
}

/** The run waits for a second person, or for a confirmation, until the organization's approvals expire. */
async function pauseForApproval(
  tenant: Tenant,
  { run, workspace }: LoadedRun,
  made: RunChange,
): Promise<void> {
  const settings = await organizationSettings(tenant)
  await workspaceRuns(tenant).moveWithStages(run.id, ['planning'], {
    change: {
      ...made,
      phase: 'awaiting_approval',
      approvalExpiresAt: approvalExpiry(settings, new Date()),
    },
    stages: planPasses('approval'),
  })
  await auditLog(tenant, systemActor).record('pipeline.awaiting_approval', {
    target: { kind: 'run', id: run.id, label: workspace.name },
    detail: { workspaceId: run.workspaceId, reasons: made.approvalReasons },
  })
  await mailApprovers(tenant, run)
}

/** What the apply would read otherwise than the plan did: it works in the workspace's folder too. */
async function changedSince(
  tenant: Tenant,
  { run, state, workspace: planned }: LoadedRun,
  workspace: Pick<Workspace, 'path'>,
): Promise<'working folder' | 'state' | undefined> {
  if (workspace.path !== planned.path) return 'working folder'
  const current = await stateVersions(tenant).current(run.workspaceId)
  const isSame = current?.serial === state?.serial && current?.lineage === state?.lineage
  return isSame ? undefined : 'state'
}

async function savePlan(
  { engineVersion }: Deps,
  tenant: Tenant,
  { loaded, plan }: { loaded: LoadedRun; plan: FinishedPlan },
): Promise<void> {
  const { run } = loaded
  const { attempt, pieces } = plan.plan.written()
  await plan.plan.store(tenant)
  await plans(tenant).save({
    workspaceRunId: run.id,
    attempt,
    pieces,
    engineVersion,
    configurationSha256: loaded.configuration.filesSha256,
    variablesMac: loaded.variablesMac,
    stateLineage: loaded.state?.lineage ?? null,
    stateSerial: loaded.state?.serial ?? null,
    ...plan.judgedBy,
    sensitiveVariables: loaded.sensitiveVariables,
    overview: plan.overview,
    budgetReach: plan.reach,
    estimate: plan.estimate,
  })
}

/**
 * Ends a run whose plan failed. Only from `planning`: an attempt that Temporal gave to another worker
 * must not end the run while the other worker applies it. Nor while the other one plans it, unless it was
 * canceled: a worker that is cut off cannot load a provider that the other one can. `hash` is of the token
 * of the attempt, where it was begun.
 */
export async function recordPlanFailure(
  deps: Pick<Deps, 'store'>,
  { organizationId, run, actor, stageIds }: FoundRun,
  failure: { reason: RunReason; message: string; hash?: Buffer },
): Promise<void> {
  const canceled = failure.reason === 'canceled_by_user'
  const { hash } = failure
  await deps.store.tenant(organizationId, async (tenant) => {
    const workspace = await workspaces(tenant).getForUpdate(run.workspaceId)
    // Attempts are counted under this lock.
    await workspaceRuns(tenant).getForUpdate(run.id)
    if (hash && !canceled && !(await isNewestPlan(tenant, run.id, hash))) return
    const ended = await endRun(
      tenant,
      { organizationId, workspaceRunId: run.id, actor, held: { run, workspace } },
      {
        phase: canceled ? 'canceled' : 'failed',
        from: ['planning'],
        reason: failure.reason,
        message: failure.message.slice(0, 1_000),
      },
    )
    if (ended && hash)
      await logLines(tenant).append(stageIds['plan'] ?? 0, [
        { level: 'error', line: failure.message.slice(0, 4_096) },
      ])
  })
}
