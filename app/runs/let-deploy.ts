import type { ApplicationPhase } from '../../domain/pipelines/application-state.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import { moveApplication } from '../../store/runs/move-application.ts'
import { releases } from '../../store/runs/releases.ts'
import { wakeApplication } from './wake-application.ts'

/**
 * The run's deployment is next. A rollback stops the one that is under way from here on: an earlier stop
 * would leave hosts mixed while the rollback waits for its approval. The caller holds the pipeline's row.
 */
export async function letDeploy(
  tenant: Tenant,
  { runId, from, by }: { runId: number; from: ApplicationPhase; by?: string },
): Promise<void> {
  await moveApplication(tenant, runId, { from, to: 'deploy_queued', ...(by && { by }) })
  await wakeApplication(tenant, runId, 'deploy')
  const { rollbackOf, pipelineId } = await releases(tenant).get(runId)
  if (rollbackOf === null) return
  for (const { runId: other, phase } of await releases(tenant).live(pipelineId)) {
    if (other === runId || (phase !== 'deploying' && phase !== 'rolling_back')) continue
    await deployments(tenant).requestStop(other, 'replaced')
    await wakeApplication(tenant, other, 'replaced')
  }
}
