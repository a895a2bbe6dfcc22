import type { Caller } from '../../domain/access/caller.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { promotedElsewhere } from '../../store/runs/promoted-elsewhere.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import type { Deps } from '../deps.ts'

/** Deletes a pipeline with its pipeline runs. `provision-<workspace>` can only be deleted with its workspace. */
export async function deletePipeline(deps: Deps, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (tenant) => {
    // As starts of its runs do, so that none begins meanwhile.
    const pipeline = await pipelines(tenant).getForUpdate(id)
    if (pipeline.managed)
      throw conflict(
        'managed_pipeline',
        'This pipeline belongs to its workspace and goes only with it.',
      )
    if (await pipelineRuns(tenant).hasLive(id))
      throw conflict('run_in_progress', 'A run of this pipeline is not over. Cancel it first.')
    await assertNotPromoted(tenant, id)
    await pipelines(tenant).delete(id)
    await auditLog(tenant, actorOf(caller)).record('pipeline.deleted', {
      target: { kind: 'pipeline', id, label: pipeline.name },
    })
  })
}

/** With an artifact go the deployments of it, of every pipeline: what runs could not be rolled back any more. */
async function assertNotPromoted(tenant: Tenant, id: number): Promise<void> {
  const using = await promotedElsewhere(tenant, id)
  if (using.length === 0) return
  throw new AppError(
    'conflict',
    'Other pipelines run an artifact that this pipeline built, or go back to it. Deploy other releases with them, or delete them.',
    {
      code: 'pipeline_in_use',
      details: using
        .slice(0, 50)
        .map(({ id: other, name }) => ({ path: `pipelines/${other}`, message: name })),
    },
  )
}
