import { planDigest } from '../../domain/pipelines/plan-digest.ts'
import type { RunReason } from '../../domain/pipelines/run-state.ts'
import { splitPlan, type SplitPlan } from '../../domain/plans/split-plan.ts'
import { sealRows } from '../../gateways/keyring/sealed-rows.ts'
import { actorOfRun } from '../../store/pipelines/actor-of-run.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Db } from '../../store/connect.ts'
import { mails } from '../../store/mails/mails.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { endRun } from '../../store/pipelines/end-run.ts'
import { planChanges } from '../../store/pipelines/plan-changes.ts'
import { plans } from '../../store/pipelines/plans.ts'
import { stages } from '../../store/pipelines/stages.ts'
import { workspaceRuns } from '../../store/pipelines/workspace-runs.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaceAuthorship } from '../../store/workspaces/workspace-authorship.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import type { Judgement } from './judge-gates.ts'
import type { LoadedRun } from './load-run.ts'

export type FinishedPlan = {
  planFile: Buffer
  lockFile: Buffer | null
  modules: Buffer | null
  planJson: unknown
  judgement: Judgement
}

/**
 * Stores a plan and moves its run on, in one transaction: a failed gate, an unchanged
 * world or a plan-only run end it, production waits for a second operator, a standard
 * workspace approves itself (§3).
 */
export async function recordPlan(deps: Deps, loaded: LoadedRun, plan: FinishedPlan): Promise<void> {
  const { organizationId, run } = loaded
  const digest = planDigest({
    planFile: plan.planFile,
    configurationSha256: loaded.configuration.filesSha256,
    lockFile: plan.lockFile,
    modules: plan.modules,
    engineVersion: deps.engineVersion,
    stateLineage: loaded.state?.lineage ?? null,
    stateSerial: loaded.state?.serial ?? null,
    variablesMac: loaded.variablesMac,
  })
  const split = splitPlan(plan.planJson, {
    sensitiveVariables: loaded.sensitiveVariables,
    secretValues: loaded.secrets,
  })
  const { summary } = split
  const { judgement } = plan

  await deps.store.tenant(organizationId, async (db) => {
    const workspace = await workspaces(db, organizationId).getForUpdate(run.workspaceId)
    const runs = workspaceRuns(db, organizationId)
    const now = await runs.getForUpdate(run.id)
    if (now.phase !== 'planning') return
    await savePlan(deps, db, { loaded, plan, split })
    await runs.patch(run.id, {
      planDigest: digest,
      summary: { ...summary },
      cost: judgement.cost,
      gates: judgement.gates,
      authorshipThrough: loaded.authorshipThrough,
    })
    await stages(db, organizationId).set(run.id, 'plan', {
      state: judgement.denied ? 'failed' : 'succeeded',
      ended: true,
    })
    const place = {
      organizationId,
      runId: run.id,
      actor: await actorOfRun(db, organizationId, run),
    }
    if (now.cancelRequestedAt) {
      await endRun(db, place, { phase: 'canceled', reason: 'canceled_by_user' })
    } else if (judgement.denied) {
      await endRun(db, place, { phase: 'failed', ...judgement.denied })
    } else if (run.kind === 'plan') {
      await endRun(db, place, {
        phase: 'succeeded',
        ...(summary.noChanges && { reason: 'no_changes' as const }),
      })
    } else if (await isStale(db, loaded)) {
      await endRun(db, place, {
        phase: 'failed',
        reason: 'plan_stale',
        message: 'The state was changed while this was planned. Start a new run.',
      })
    } else if (summary.noChanges) {
      await workspaceAuthorship(db, organizationId).settle(
        run.workspaceId,
        loaded.authorshipThrough,
      )
      await endRun(db, place, { phase: 'succeeded', reason: 'no_changes' })
    } else if (workspace.criticality === 'production') {
      await pauseForApproval(db, loaded)
    } else {
      await runs.move(run.id, ['planning'], { phase: 'apply_queued' })
      await stages(db, organizationId).set(run.id, 'approve', {
        state: 'succeeded',
        by: 'self',
        ended: true,
      })
      await stages(db, organizationId).set(run.id, 'apply', { state: 'queued' })
    }
    await db.raw(`select pg_notify('cc_run', ?)`, [String(run.id)])
  })
}

/** Production: the run waits for a second operator, and for as long as the organization lets it. */
async function pauseForApproval(
  db: Db,
  { organizationId, run, workspace }: LoadedRun,
): Promise<void> {
  const { approvalExpiryHours } = await organizationSettings(db, organizationId)
  await workspaceRuns(db, organizationId).move(run.id, ['planning'], {
    phase: 'awaiting_approval',
    approvalExpiresAt: new Date(Date.now() + approvalExpiryHours * 3_600_000),
  })
  await stages(db, organizationId).set(run.id, 'approve', { state: 'waiting' })
  await auditLog(db, organizationId, systemActor).record('pipeline.awaiting_approval', {
    target: { kind: 'run', id: run.id, label: workspace.name },
    detail: { workspaceId: run.workspaceId },
  })
  await mails(db, organizationId).queueApproval(run)
}

/** Whether somebody wrote the state between the plan's reading of it and now. */
async function isStale(db: Db, { organizationId, run, state }: LoadedRun): Promise<boolean> {
  const current = await stateVersions(db, organizationId).current(run.workspaceId)
  return current?.serial !== state?.serial || current?.lineage !== state?.lineage
}

async function savePlan(
  { keyring, engineVersion }: Deps,
  db: Db,
  { loaded, plan, split }: { loaded: LoadedRun; plan: FinishedPlan; split: SplitPlan },
): Promise<void> {
  const { organizationId, run } = loaded
  const seal = (column: string, plain: Buffer | string) =>
    keyring.seal({ organizationId, table: 'plans', column }, plain)
  await plans(db, organizationId).save({
    workspaceRunId: run.id,
    planFile: seal('plan_file', plan.planFile),
    lockFile: plan.lockFile ? seal('lock_file', plan.lockFile) : null,
    modules: plan.modules ? seal('modules', plan.modules) : null,
    planJson: seal('plan_json', JSON.stringify(plan.planJson)),
    engineVersion,
    configurationSha256: loaded.configuration.filesSha256,
    variablesMac: loaded.variablesMac,
    stateLineage: loaded.state?.lineage ?? null,
    stateSerial: loaded.state?.serial ?? null,
    policiesVersion: plan.judgement.policiesVersion,
    pricesVersion: plan.judgement.pricesVersion,
    sensitiveVariables: loaded.sensitiveVariables,
    overview: split.overview,
    resourceTypes: split.resourceTypes,
  })
  const place = { organizationId, table: 'plan_changes', ownerId: run.id }
  await planChanges(db, organizationId).replace(run.id, sealRows(keyring, place, split.rows))
}

/** Ends a run whose plan did not come about. */
export async function recordPlanFailure(
  deps: Deps,
  { organizationId, run }: Pick<LoadedRun, 'organizationId' | 'run'>,
  failure: { reason: RunReason; message: string },
): Promise<void> {
  const canceled = failure.reason === 'canceled_by_user'
  await deps.store.tenant(organizationId, async (db) => {
    await endRun(
      db,
      { organizationId, runId: run.id, actor: await actorOfRun(db, organizationId, run) },
      {
        phase: canceled ? 'canceled' : 'failed',
        reason: failure.reason,
        message: failure.message.slice(0, 1_000),
      },
    )
  })
}
