import { requestApplicationStart } from '../../app/runs/request-application-start.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { Pipeline } from '../../store/pipelines/pipelines.ts'
import { applicationRuns } from '../../store/runs/application-runs.ts'
import type { PipelineRun } from '../../store/runs/pipeline-runs.ts'
import { stages } from '../../store/runs/stages.ts'

/** What the run is built from. A commit and a tag have no branch: they may be on several, or on none. */
export type Revision = { branch: string | null; tag: string | null; commitSha: string | null }

export type RunToBegin = {
  pipeline: Pick<Pipeline, 'id' | 'name'>
  source: Revision
  message: string | undefined
  strategy?: string | undefined
  /** The run that built its artifact. */
  artifactRunId?: number
  rollbackOf?: number
  /** The run that it repeats. */
  rerunOf?: number | undefined
}

/** Its place, its stages, its audit entry and the start of its workflow. The pipeline's row is locked from here on. */
export async function beginApplicationRun(
  tenant: Tenant,
  caller: Caller,
  { pipeline, source, message, strategy, artifactRunId, rollbackOf, rerunOf }: RunToBegin,
): Promise<PipelineRun> {
  const { branch, tag, commitSha } = source
  const startMessage = message?.trim() || null
  const place = await applicationRuns(tenant).create({
    pipelineId: pipeline.id,
    origin: 'person',
    authorUserId: caller.userId,
    authorTokenId: caller.kind === 'token' ? caller.credentialId : null,
    startMessage,
    branch,
    tag,
    commitSha,
    strategy: strategy ?? null,
    artifactRunId: artifactRunId ?? null,
    rollbackOf: rollbackOf ?? null,
  })
  await stages(tenant).createOfApplication(place.id, { hasArtifact: artifactRunId !== undefined })
  await auditLog(tenant, actorOf(caller)).record('pipeline.run_started', {
    target: { kind: 'run', id: place.id, label: pipeline.name },
    detail: {
      pipelineId: pipeline.id,
      kind: 'application',
      number: place.number,
      ...(branch !== null && { branch }),
      ...(tag !== null && { tag }),
      ...(commitSha !== null && { commit: commitSha }),
      ...(strategy !== undefined && { strategy }),
      ...(artifactRunId !== undefined && { artifactOf: artifactRunId }),
      ...(rollbackOf !== undefined && { rollbackOf }),
      ...(rerunOf !== undefined && { rerunOf }),
      ...(startMessage !== null && { message: startMessage }),
    },
  })
  const { id, number } = place
  const { id: pipelineId, name: pipelineName } = pipeline
  await requestApplicationStart(tenant, { id, number, pipelineId, pipelineName })
  return place
}
