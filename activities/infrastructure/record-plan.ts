import type { Tenant } from '../../store/driver/tenant.ts'
import type { RunReason } from '../../domain/runs/run-state.ts'
import type { Planned } from '../../gateways/runner/protocol.ts'
import { actorOfRun } from '../../app/runs/actor-of-run.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { mailApprovers } from '../../app/runs/mail-approvers.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { plans } from '../../store/infrastructure/plans.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaceAuthorship } from '../../store/workspaces/workspace-authorship.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { digestOf } from './digest-of.ts'
import type { GateVersions } from './gate-rules.ts'
import type { LoadedRun } from './load-run.ts'
import type { PlanWriter } from './write-plan.ts'

export type FinishedPlan = Planned & {
  plan: PlanWriter
  /** The rules that the worker sent, not what the runner reports. */
  judgedBy: GateVersions & { resourceTypes: string[] }
}

/**
 * Stores a plan and moves its run on, in one transaction. A failed gate, an empty plan or a
 * plan-only run ends it; a production run waits for a second person; a run of a standard
 * workspace goes on to its apply.
 */
export async function recordPlan(deps: Deps, loaded: LoadedRun, plan: FinishedPlan): Promise<void> {
  const { organizationId, run } = loaded
  const { summary, gates, cost, denied } = plan
  const digest = digestOf({
    sha256: plan.plan.written().sha256,
    configurationSha256: loaded.configuration.filesSha256,
    engineVersion: deps.engineVersion,
    stateLineage: loaded.state?.lineage ?? null,
    stateSerial: loaded.state?.serial ?? null,
    variablesMac: loaded.variablesMac,
  })

  await deps.store.tenant(organizationId, async (tenant) => {
    const workspace = await workspaces(tenant).getForUpdate(run.workspaceId)
    const runs = workspaceRuns(tenant)
    const now = await runs.getForUpdate(run.id)
    if (now.phase !== 'planning') return
    await savePlan(deps, tenant, { loaded, plan })
    await runs.patch(run.id, {
      planDigest: digest,
      summary: { ...summary },
      cost,
      gates,
      authorshipThrough: loaded.authorshipThrough,
    })
    await stages(tenant).set(run.id, 'plan', {
      state: denied ? 'failed' : 'succeeded',
      ended: true,
    })
    const place = {
      organizationId,
      runId: run.id,
      actor: await actorOfRun(tenant, run),
    }
    if (now.cancelRequestedAt) {
      await endRun(tenant, place, { phase: 'canceled', reason: 'canceled_by_user' })
    } else if (denied) {
      await endRun(tenant, place, { phase: 'failed', ...denied })
    } else if (run.kind === 'plan') {
      await endRun(tenant, place, {
        phase: 'succeeded',
        ...(summary.noChanges && { reason: 'no_changes' as const }),
      })
    } else if (await isStale(tenant, loaded)) {
      await endRun(tenant, place, {
        phase: 'failed',
        reason: 'plan_stale',
        message: 'The state was changed while this was planned. Start a new run.',
      })
    } else if (summary.noChanges) {
      await workspaceAuthorship(tenant).settle(run.workspaceId, loaded.authorshipThrough)
      await endRun(tenant, place, { phase: 'succeeded', reason: 'no_changes' })
    } else if (workspace.criticality === 'production') {
      await pauseForApproval(tenant, loaded)
    } else {
      await runs.move(run.id, ['planning'], { phase: 'apply_queued' })
      await stages(tenant).set(run.id, 'approve', {
        state: 'succeeded',
        by: 'self',
        ended: true,
      })
      await stages(tenant).set(run.id, 'apply', { state: 'queued' })
    }
    await runs.announce(run.id)
  })
}

/** A production run waits for a second person, until the organization's approvals expire. */
async function pauseForApproval(tenant: Tenant, { run, workspace }: LoadedRun): Promise<void> {
  const { approvalExpiryHours } = await organizationSettings(tenant)
  await workspaceRuns(tenant).move(run.id, ['planning'], {
    phase: 'awaiting_approval',
    approvalExpiresAt: new Date(Date.now() + approvalExpiryHours * 3_600_000),
  })
  await stages(tenant).set(run.id, 'approve', { state: 'waiting' })
  await auditLog(tenant, systemActor).record('pipeline.awaiting_approval', {
    target: { kind: 'run', id: run.id, label: workspace.name },
    detail: { workspaceId: run.workspaceId },
  })
  await mailApprovers(tenant, run)
}

/** Whether the state was written since the plan read it. */
async function isStale(tenant: Tenant, { run, state }: LoadedRun): Promise<boolean> {
  const current = await stateVersions(tenant).current(run.workspaceId)
  return current?.serial !== state?.serial || current?.lineage !== state?.lineage
}

async function savePlan(
  { engineVersion }: Deps,
  tenant: Tenant,
  { loaded, plan }: { loaded: LoadedRun; plan: FinishedPlan },
): Promise<void> {
  const { run } = loaded
  const { attempt, pieces } = plan.plan.written()
  await plan.plan.settle(tenant)
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
  })
}

/** Ends a run whose plan failed. */
export async function recordPlanFailure(
  deps: Deps,
  { organizationId, run }: Pick<LoadedRun, 'organizationId' | 'run'>,
  failure: { reason: RunReason; message: string },
): Promise<void> {
  const canceled = failure.reason === 'canceled_by_user'
  await deps.store.tenant(organizationId, async (tenant) => {
    await endRun(
      tenant,
      { organizationId, runId: run.id, actor: await actorOfRun(tenant, run) },
      {
        phase: canceled ? 'canceled' : 'failed',
        reason: failure.reason,
        message: failure.message.slice(0, 1_000),
      },
    )
  })
}
