import { isSuperseded } from '../../domain/pipelines/application-state.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { releases, type LiveRelease } from '../../store/runs/releases.ts'
import { endApplicationRun } from './end-application-run.ts'
import { wakeApplication } from './wake-application.ts'

/**
 * Ends the older runs of the pipeline that this one makes needless. Called once it is created by a push,
 * once its artifact stands, and once it is deployed. The caller holds the pipeline's row.
 */
export async function supersedeOlder(
  tenant: Tenant,
  {
    pipelineId,
    runId,
    hasDeployed = false,
  }: { pipelineId: number; runId: number; hasDeployed?: boolean },
): Promise<void> {
  const live = await releases(tenant).live(pipelineId)
  const newer = live.find((run) => run.runId === runId)
  if (!newer) return
  for (const older of live)
    if (isSuperseded(older, { ...newer, hasDeployed }))
      await endSuperseded(tenant, older, `Run ${newer.number} of this pipeline took its place.`)
}

/** A rollback by hand: what waits, of any number, is not to undo it. */
export async function supersedeWaiting(
  tenant: Tenant,
  { pipelineId, number, runId }: { pipelineId: number; number: number; runId: number },
): Promise<void> {
  for (const other of await releases(tenant).live(pipelineId))
    if (
      other.runId !== runId &&
      (other.phase === 'awaiting_approval' || other.phase === 'deploy_queued')
    )
      await endSuperseded(tenant, other, `The rollback ${number} took its place.`)
}

async function endSuperseded(
  tenant: Tenant,
  { runId, phase }: LiveRelease,
  message: string,
): Promise<void> {
  const ended = await endApplicationRun(
    tenant,
    { runId, actor: systemActor, from: [phase] },
    { phase: 'canceled', reason: 'superseded', message },
  )
  if (ended) await wakeApplication(tenant, runId, 'superseded')
}
