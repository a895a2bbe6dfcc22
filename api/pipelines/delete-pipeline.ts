import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { deleteWithArtifacts } from '../../store/pipelines/delete-with-artifacts.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
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
    await deleteWithArtifacts(tenant, id)
    await auditLog(tenant, actorOf(caller)).record('pipeline.deleted', {
      target: { kind: 'pipeline', id, label: pipeline.name },
    })
  })
}
