import type { Tenant } from '../../store/driver/tenant.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import { applyAttempts } from '../../store/infrastructure/apply-attempts.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { freeRun } from '../../store/runs/free-run.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { InfrastructureRunInput, RunStep } from '../../workflows/infrastructure/contract.ts'
import type { Deps } from '../deps.ts'
import { beatWhile } from '../beat-while.ts'
import { ownerOf } from '../runs/find-run.ts'
import { stepOfRun } from './next-step.ts'

const pollMs = 1_000

/**
 * Settles an apply whose worker was lost (docs/runs.md, "Recovery"). First raises the fencing
 * number, so that the old attempt cannot write state. Then waits until the attempt has ended or
 * is silent. Then ends the run `failed` / `runner_lost` with what was saved. An attempt whose
 * program was never started is deleted, and the run is applied later.
 */
export const reconcileApply =
  (deps: Deps) =>
  async ({ runId: workspaceRunId }: InfrastructureRunInput): Promise<RunStep> => {
    const organizationId = await ownerOf(deps, workspaceRunId)
    const fence = await fenceOff(deps, organizationId, workspaceRunId)
    if (fence === undefined) return stepOfRun(deps, { organizationId, workspaceRunId })
    await beatWhile(async () => {
      while (await isAlive(deps, organizationId, workspaceRunId))
        await new Promise((resolve) => setTimeout(resolve, pollMs))
      await settle(deps, { organizationId, workspaceRunId, fence })
    })
    return stepOfRun(deps, { organizationId, workspaceRunId })
  }

/**
 * Raises the fencing number against the attempt that is there when this is called. Undefined where there is none to
 * settle: the run is not being applied, or another worker has settled that attempt while this one waited for the row
 * of the workspace. What is applied by then was begun anew.
 */
async function fenceOff(
  deps: Deps,
  organizationId: number,
  workspaceRunId: number,
): Promise<number | undefined> {
  const look = async (tenant: Tenant) => ({
    run: await workspaceRuns(tenant).get(workspaceRunId),
    attempt: await applyAttempts(tenant).find(workspaceRunId),
  })
  const { run, attempt } = await deps.store.tenant(organizationId, look)
  if (run.phase !== 'applying') return undefined
  return deps.store.tenant(organizationId, async (tenant) => {
    await workspaces(tenant).getForUpdate(run.workspaceId)
    const now = await look(tenant)
    if (now.run.phase !== 'applying' || now.attempt?.fence !== attempt?.fence) return undefined
    return workspaces(tenant).raiseFence(run.workspaceId)
  })
}

async function isAlive(
  deps: Deps,
  organizationId: number,
  workspaceRunId: number,
): Promise<boolean> {
  const attempt = await deps.store.tenant(organizationId, async (tenant) =>
    applyAttempts(tenant).find(workspaceRunId),
  )
  return attempt?.alive ?? false
}

async function settle(
  deps: Deps,
  {
    organizationId,
    workspaceRunId,
    fence,
  }: { organizationId: number; workspaceRunId: number; fence: number },
): Promise<void> {
  await deps.store.tenant(organizationId, async (tenant) => {
    const runs = workspaceRuns(tenant)
    const { workspaceId } = await runs.get(workspaceRunId)
    await workspaces(tenant).getForUpdate(workspaceId)
    const { phase, cancelRequestedAt } = await runs.getForUpdate(workspaceRunId)
    const attempts = applyAttempts(tenant)
    const attempt = await attempts.find(workspaceRunId)
    // Another attempt was begun since the fencing number was raised. It has a number of its own.
    if (phase !== 'applying' || attempt?.alive || (attempt && attempt.fence >= fence)) return
    if (!attempt?.spawnedAt) {
      // The program was never started: the attempt is deleted, and the run waits for its apply again.
      await attempts.giveBack(workspaceRunId)
      await freeRun(tenant, workspaceRunId)
      const moved = await runs.move(workspaceRunId, ['applying'], { phase: 'apply_queued' })
      if (moved) await stages(tenant).set(workspaceRunId, 'apply', { state: 'queued' })
      // A run that was canceled meanwhile must not be applied.
      if (moved && cancelRequestedAt)
        await endRun(
          tenant,
          { organizationId, workspaceRunId, actor: systemActor },
          { phase: 'canceled', reason: 'canceled_by_user' },
        )
      return
    }
    const saved = await stateVersions(tenant).newestOfRun(workspaceRunId)
    await workspaces(tenant).markNeedsRefresh(workspaceId)
    await attempts.end(workspaceRunId, { exitCode: null })
    await endRun(
      tenant,
      { organizationId, workspaceRunId, actor: systemActor },
      {
        phase: 'failed',
        reason: 'runner_lost',
        message: saved
          ? `The worker was lost while applying. State serial ${saved.serial} had been saved; plan again to see what is left.`
          : 'The worker was lost while applying, before any state was saved. Plan again to see what is left.',
        change: { found: { savedStateSerial: saved?.serial ?? null, worker: attempt.worker } },
      },
    )
  })
}
