import type { MissingManifest } from '../../domain/manifest/missing-manifest.ts'
import type { RunReason, TerminalPhase } from '../../domain/runs/run-state.ts'
import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { deploymentHosts } from '../../store/deployments/deployment-hosts.ts'
import {
  mixedHosts,
  warnOfMixedHosts,
  type MixedHosts,
} from '../../store/deployments/mixed-hosts.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import { lockApplication, moveApplication } from '../../store/runs/move-application.ts'
import { releases } from '../../store/runs/releases.ts'
import { sourceOfRun } from '../../store/runs/source-of-run.ts'
import { wakeApplication } from './wake-application.ts'

export type ApplicationEnd = {
  phase: TerminalPhase
  reason?: RunReason
  /** Shown with the run. */
  message?: string
  by?: string
  /** Of a run that ends because its commit has no manifest. */
  missing?: MissingManifest
}

const events: Record<TerminalPhase, string> = {
  succeeded: 'pipeline.run_succeeded',
  failed: 'pipeline.run_failed',
  canceled: 'pipeline.run_canceled',
}

/**
 * Ends a run of an application once: phase, stages and audit entry in one transaction. False if somebody
 * else ended it or moved it on, out of the phases `from`.
 */
export async function endApplicationRun(
  tenant: Tenant,
  {
    runId,
    actor,
    from,
  }: { runId: number; actor: AuditActor; from: ReadonlyArray<ApplicationPhase> },
  { phase, reason, message, by, missing }: ApplicationEnd,
): Promise<boolean> {
  const run = await lockApplication(tenant, runId)
  if (!from.includes(run.phase)) return false
  const isDeploying = run.phase === 'deploying' || run.phase === 'rolling_back'
  const mixed = isDeploying ? undefined : await mixedHosts(tenant, runId)
  const said = [message, mixed && inWords(mixed)].filter(Boolean).join(' ')
  const moved = await moveApplication(tenant, runId, {
    from: run.phase,
    to: phase,
    ...(reason && { reason }),
    ...(said !== '' && { message: said }),
    ...(by && { by }),
  })
  if (!moved) return false
  if (missing) await sourceOfRun(tenant, runId).noteMissing(missing)
  if (mixed) await warnOfMixedHosts(tenant, { rollbackRunId: runId, runId: mixed.runId })
  await auditLog(tenant, actor).record(events[phase], {
    outcome: phase === 'failed' ? 'failure' : 'success',
    target: { kind: 'run', id: runId, label: run.pipelineName },
    detail: {
      pipelineId: run.pipelineId,
      kind: 'application',
      ...(reason && { reason }),
      ...(mixed && { mixed: mixed.names, mixedOf: mixed.runId }),
    },
  })
  if (isDeploying) await endHosts(tenant, { runId, pipelineId: run.pipelineId })
  return true
}

/** Nobody else says so: the deployment that it stopped has ended, and counted on this one. */
const inWords = ({ names, runId }: MixedHosts): string =>
  `Hosts are left with two releases: ${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} that of run id ${runId}, beside others with an earlier one. Start a deployment or another rollback.`

/** However the run ended: its agents are refused from here on, and the next run of the pipeline may deploy. */
async function endHosts(
  tenant: Tenant,
  { runId, pipelineId }: { runId: number; pipelineId: number },
): Promise<void> {
  await deploymentHosts(tenant).release(runId)
  await deployments(tenant).end(runId, { outcome: 'failed' })
  for (const next of await releases(tenant).live(pipelineId))
    if (next.phase === 'deploy_queued') await wakeApplication(tenant, next.runId, 'turn')
}
