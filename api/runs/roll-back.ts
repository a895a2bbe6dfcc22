import { createHash } from 'node:crypto'
import { lacksRequiredSbom } from '../../app/artifacts/lacks-required-sbom.ts'
import { afterArtifact } from '../../app/runs/after-artifact.ts'
import { supersedeWaiting } from '../../app/runs/supersede-runs.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { conflict, invalid } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { pipelines, type Pipeline } from '../../store/pipelines/pipelines.ts'
import { idempotencyKeys } from '../../store/requests/idempotency-keys.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { promotions, type PromotableRun } from '../../store/runs/promotions.ts'
import { releases } from '../../store/runs/releases.ts'
import { sourceOfRun } from '../../store/runs/source-of-run.ts'
import type { Deps } from '../deps.ts'
import { beginApplicationRun } from './begin-application-run.ts'
import { firstAnswerTo } from './first-answer-to.ts'
import { hashOfRerun } from './not-rerunnable.ts'
import { presentRuns } from './present-runs.ts'
import type { RunAnswer } from './schemas.ts'
import { startWarnings } from './start-warnings.ts'

export type Rollback = {
  pipelineId: number
  /** The run whose release comes back. */
  runId: number
  comment?: string
  /** Set if the run repeats another rollback. */
  rerun?: { of: number }
  idempotencyKey?: string | undefined
}

/**
 * Starts a run that deploys the release of an earlier one, or of the newest one again. What waits in the
 * pipeline ends; what is being deployed is stopped once the rollback may begin (app/runs/let-deploy.ts).
 */
export async function rollBack(deps: Deps, caller: Caller, request: Rollback): Promise<RunAnswer> {
  const first = await firstAnswerTo(deps.store, caller, {
    ...request,
    requestHash: hashOf(request),
  })
  if (first) return first
  await deps.engine.assertReachable()
  return deps.store.tenant(caller.organizationId, async (tenant) => {
    const { idempotencyKey: key } = request
    const keys = idempotencyKeys(tenant)
    const who = `user:${caller.userId}`
    if (key !== undefined) {
      const first = await keys.take(who, key, hashOf(request))
      // Written below, in this shape.
      if (first) return first.response as RunAnswer
    }
    const pipeline = await pipelines(tenant).get(request.pipelineId)
    await pipelineRuns(tenant).get(pipeline.id, request.runId)
    const answer = await begin(tenant, caller, { pipeline, request })
    if (key !== undefined) await keys.answer(who, key, { status: 201, response: answer })
    return answer
  })
}

async function begin(
  tenant: Tenant,
  caller: Caller,
  { pipeline, request }: { pipeline: Pipeline; request: Rollback },
): Promise<RunAnswer> {
  const { runId, comment } = request
  const rows = releases(tenant)
  await rows.holdPipeline(pipeline.id)
  const { artifactRunId, workspaceId } = await assertRollbackable(tenant, { pipeline, runId })
  const place = await beginApplicationRun(tenant, caller, {
    pipeline,
    // Noted below, with the commit's words.
    source: { branch: null, tag: null, commitSha: null },
    message: comment,
    artifactRunId,
    rollbackOf: runId,
    rerunOf: request.rerun?.of,
  })
  const source = sourceOfRun(tenant, place.id)
  await source.copyFrom(runId)
  await noteAuthors(tenant, { id: place.id, of: runId, artifactRunId, workspaceId })
  await auditLog(tenant, actorOf(caller)).record('pipeline.rolled_back', {
    target: { kind: 'run', id: place.id, label: pipeline.name },
    detail: { pipelineId: pipeline.id, workspaceId, to: runId, automatic: false },
  })
  const { id, number } = place
  await supersedeWaiting(tenant, { pipelineId: pipeline.id, number, runId: id })
  await afterArtifact(tenant, id)
  const [run] = await presentRuns(tenant, caller, { places: [place] })
  if (!run) throw new Error('a run that was just made is gone')
  const warnings = await startWarnings(tenant, id)
  return { run, ...(warnings.length > 0 && { warnings }) }
}

/**
 * Nobody has approved the commits of a release that was never deployed here, or only while the target was no production
 * workspace. They have their authors, also where that matters only once the target is one.
 */
async function noteAuthors(
  tenant: Tenant,
  {
    id,
    of,
    artifactRunId,
    workspaceId,
  }: { id: number; of: number; artifactRunId: number; workspaceId: number },
): Promise<void> {
  const [rows, source] = [releases(tenant), sourceOfRun(tenant, id)]
  const { pipelineId, criticality } = await rows.get(id)
  const release = { pipelineId, artifactRunId }
  if (await rows.wasApproved(release, workspaceId)) return source.clearAuthors()
  const isSeen = criticality !== 'production' && (await rows.wasDeployed(release, workspaceId))
  return isSeen ? source.addAuthorsOf(of) : source.addCommitsOf(of)
}

async function assertRollbackable(
  tenant: Tenant,
  { pipeline, runId }: { pipeline: Pipeline; runId: number },
): Promise<Pick<PromotableRun, 'artifactRunId'> & { workspaceId: number }> {
  if (pipeline.kind !== 'application')
    throw invalid(
      'A run of an infrastructure pipeline is not rolled back: change its configuration.',
    )
  const found = await promotions(tenant).find(runId)
  const { targetWorkspaceId: workspaceId } = pipeline
  if (!found?.isBuilt)
    throw conflict(
      'not_rollbackable',
      'That run has no artifact, so there is no release to go back to.',
    )
  if (workspaceId === null || found.targetWorkspaceId !== workspaceId)
    throw conflict(
      'not_rollbackable',
      'That run is of another target than the one this pipeline has now.',
    )
  if (!found.isKept)
    throw conflict(
      'artifact_gone',
      'The artifact of that run is no longer kept. Build its commit again.',
    )
  if (await lacksRequiredSbom(tenant, { pipeline, artifactRunId: found.artifactRunId }))
    throw conflict(
      'not_rollbackable',
      'This pipeline requires a bill of materials, and the artifact of that run has none.',
    )
  return { artifactRunId: found.artifactRunId, workspaceId }
}

const hashOf = ({ idempotencyKey: _, ...request }: Rollback): Buffer =>
  request.rerun
    ? hashOfRerun({ noun: 'Pipeline', id: request.pipelineId, runId: request.rerun.of })
    : createHash('sha256')
        .update(canonicalJson({ rollback: request }))
        .digest()
