import { AppError, conflict } from '../../domain/errors.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { artifactOfRun, type ArtifactOfRun } from '../../store/runs/artifact-of-run.ts'
import type { Artifact } from '../../store/runs/artifacts.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'

export type RunPath = { id: number; runId: number }

/** The place of the run in its pipeline; not found for another organization's and of other pipelines. */
export async function findRun(tenant: Tenant, { id, runId }: RunPath): Promise<ArtifactOfRun> {
  await pipelineRuns(tenant).get(id, runId)
  const found = await artifactOfRun(tenant, runId)
  if (!found) throw notMade()
  return found
}

/** The kept artifact of a run. */
export async function findArtifact(
  tenant: Tenant,
  path: RunPath,
): Promise<ArtifactOfRun & { artifact: Artifact }> {
  const found = await findRun(tenant, path)
  const { artifact } = found
  if (!artifact) throw notMade()
  if (artifact.sweptAt !== null)
    throw conflict('artifact_gone', 'The artifact was removed: it was too old to be kept.')
  return { ...found, artifact }
}

export const notMade = () => new AppError('not_found', 'The run has not made this.')
