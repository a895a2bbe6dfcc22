import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { afterArtifact } from '../../app/runs/after-artifact.ts'
import type { CommitsSince } from '../../app/deployments/commits-since.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { conflict, invalid, notFound } from '../../domain/errors.ts'
import { checkBranchName, checkTagName } from '../../domain/git/repository-name.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import { pipelines, type Pipeline } from '../../store/pipelines/pipelines.ts'
import { idempotencyKeys } from '../../store/requests/idempotency-keys.ts'
import { promotions } from '../../store/runs/promotions.ts'
import { releases } from '../../store/runs/releases.ts'
import { sourceOfRun } from '../../store/runs/source-of-run.ts'
import type { Deps } from '../deps.ts'
import { beginApplicationRun, type Revision } from './begin-application-run.ts'
import { firstAnswerTo } from './first-answer-to.ts'
import {
  findPromoted,
  rangeOfPromotion,
  readPromoted,
  unknownCommits,
  type Promoted,
  type ReadPromoted,
} from './find-promoted.ts'
import { hashOfRerun, notRerunnable } from './not-rerunnable.ts'
import { presentRuns } from './present-runs.ts'
import type { RunAnswer } from './schemas.ts'
import { startWarnings } from './start-warnings.ts'

export type ApplicationRunRequest = {
  pipelineId: number
  branch?: string
  tag?: string
  commit?: string
  /** The run whose artifact is deployed: source and build are skipped. */
  artifactOf?: number
  strategy?: string
  message?: string
  vars?: unknown
  confirm?: unknown
  /** Set if the run repeats another one, which had this target. */
  rerun?: { of: number; targetWorkspaceId: number | null }
  idempotencyKey?: string | undefined
}

/**
 * Starts a run of an application pipeline: all that it writes commits together. Of two starts at once each has its own number, and neither ends the other.
 */
export async function startApplicationRun(
  deps: Deps,
  caller: Caller,
  request: ApplicationRunRequest,
): Promise<RunAnswer> {
  const revision = revisionOf(request)
  const first = await firstAnswerTo(deps.store, caller, {
    ...request,
    requestHash: hashOf(request),
  })
  if (first) return first
  await deps.engine.assertReachable()
  const { pipelineId, artifactOf } = request
  if (artifactOf === undefined) return startOnce(deps, caller, { request, revision })
  for (let tries = 1; ; tries += 1) {
    // Asks the host of the repository, so before the transaction.
    const read = await readPromoted(deps, caller.organizationId, { pipelineId, artifactOf })
    const promoted = { ...read, isLast: tries === maxReads }
    try {
      return await startOnce(deps, caller, { request, revision, promoted })
    } catch (error) {
      if (!(error instanceof RangeChanged)) throw error
    }
  }
}

/** A pipeline whose deployments end again and again while its host is asked. */
const maxReads = 3

/** The pipeline or its last good deployment is another one than when the host was asked. */
class RangeChanged extends Error {}

type Once = {
  request: ApplicationRunRequest
  revision: Revision
  promoted?: ReadPromoted & { isLast: boolean }
}

async function startOnce(
  deps: Deps,
  caller: Caller,
  { request, revision, promoted }: Once,
): Promise<RunAnswer> {
  const { idempotencyKey: key, pipelineId, artifactOf } = request
  return deps.store.tenant(caller.organizationId, async (tenant) => {
    const keys = idempotencyKeys(tenant)
    // Of the person, for who repeats a request may have signed in again or taken a new token.
    const who = `user:${caller.userId}`
    if (key !== undefined) {
      const first = await keys.take(who, key, hashOf(request))
      // Written below, in this shape.
      if (first) return first.response as RunAnswer
    }
    // A deployment ends under this lock too: what is read from here on holds until this run is there.
    if (promoted) await releases(tenant).holdPipeline(pipelineId)
    const pipeline = await pipelines(tenant).get(pipelineId)
    const since =
      promoted && artifactOf !== undefined
        ? await currentCommits(tenant, { pipeline, artifactOf, promoted })
        : undefined
    const answer = await begin(tenant, caller, { request, pipeline, revision, promoted: since })
    if (key !== undefined) await keys.answer(who, key, { status: 201, response: answer })
    return answer
  })
}

/** What the host was asked, if it was asked for what is promoted now. */
async function currentCommits(
  tenant: Tenant,
  {
    pipeline,
    artifactOf,
    promoted,
  }: Required<Pick<Once, 'promoted'>> & {
    pipeline: Pipeline
    artifactOf: number
  },
): Promise<CommitsSince> {
  const range = await rangeOfPromotion(tenant, { pipeline, artifactOf })
  if (isDeepStrictEqual(range, promoted.range)) return promoted.since
  if (!promoted.isLast) throw new RangeChanged()
  return unknownCommits
}

type Start = {
  request: ApplicationRunRequest
  pipeline: Pipeline
  revision: Revision
  promoted: CommitsSince | undefined
}

async function begin(tenant: Tenant, caller: Caller, start: Start): Promise<RunAnswer> {
  const { request, pipeline, revision, promoted } = start
  const { artifactOf, message, strategy, rerun } = request
  if (rerun && rerun.targetWorkspaceId !== pipeline.targetWorkspaceId)
    throw notRerunnable(
      'This pipeline has another target now than this run had. Start a new run for the new target.',
    )
  const found: Promoted | undefined =
    artifactOf === undefined ? undefined : await findPromoted(tenant, { pipeline, artifactOf })
  if (found && !(await promotions(tenant).hold(found.artifactRunId))) throw notFound()
  const place = await beginApplicationRun(tenant, caller, {
    pipeline,
    source: found?.source ?? (await sourceFor(tenant, pipeline, revision)),
    message,
    strategy,
    rerunOf: rerun?.of,
    ...(found && { artifactRunId: found.artifactRunId }),
  })
  if (found && promoted) {
    const source = sourceOfRun(tenant, place.id)
    await source.copyFrom(found.sourceRunId)
    await source.addAuthorsOfBuild(found.artifactRunId)
    await source.noteCommits(promoted)
    await afterArtifact(tenant, place.id)
  }
  if (rerun && !found) await addRepeatedAuthors(tenant, { pipeline, id: place.id, of: rerun.of })
  const [run] = await presentRuns(tenant, caller, { places: [place] })
  if (!run) throw new Error('a run that was just made is gone')
  const warnings = await startWarnings(tenant, place.id)
  return { run, ...(warnings.length > 0 && { warnings }) }
}

/** Of a release that a second person approved for this target the commits were approved. */
async function addRepeatedAuthors(
  tenant: Tenant,
  { pipeline, id, of }: { pipeline: Pipeline; id: number; of: number },
): Promise<void> {
  const { targetWorkspaceId } = pipeline
  if (targetWorkspaceId === null) return
  const release = { pipelineId: pipeline.id, artifactRunId: of }
  if (!(await releases(tenant).wasApproved(release, targetWorkspaceId)))
    await sourceOfRun(tenant, id).addAuthorsOf(of)
}

function revisionOf({
  branch,
  tag,
  commit,
  artifactOf,
  vars,
  confirm,
}: ApplicationRunRequest): Revision {
  if (vars !== undefined)
    throw invalid(
      'A run of an application takes no variables of a plan.',
      [{ path: 'vars', message: 'is for infrastructure pipelines' }],
      'vars_not_supported',
    )
  if (confirm !== undefined)
    throw invalid('A run of an application has no plan to confirm.', [
      { path: 'confirm', message: 'is for infrastructure pipelines' },
    ])
  const named = Object.entries({ branch, tag, commit, artifactOf }).filter(
    ([, value]) => value !== undefined,
  )
  const [first, second] = named
  if (first && second)
    throw invalid('Name one of branch, tag, commit and artifactOf.', [
      { path: second[0], message: `cannot be sent with ${first[0]}` },
    ])
  return {
    branch: branch === undefined ? null : checkBranchName(branch),
    tag: tag === undefined ? null : checkTagName(tag),
    commitSha: commit?.toLowerCase() ?? null,
  }
}

const ofApplications = ['branch', 'tag', 'commit', 'artifactOf', 'strategy'] as const

/** Of a run of an infrastructure pipeline, whose files come from its workspace. */
export function refuseSource(
  source: Partial<Record<(typeof ofApplications)[number], unknown>>,
): void {
  const sent = ofApplications.filter((name) => source[name] !== undefined)
  if (sent.length > 0)
    throw invalid(
      'A run of an infrastructure pipeline has the files of its workspace.',
      sent.map((path) => ({ path, message: 'is for application pipelines' })),
    )
}

async function sourceFor(
  tenant: Tenant,
  { appGitConnectionId, appRepo, appBranch }: Pipeline,
  revision: Revision,
): Promise<Revision> {
  const connection =
    appGitConnectionId === null ? undefined : await gitConnections(tenant).find(appGitConnectionId)
  if (!connection || appRepo === null)
    throw conflict(
      'source_unknown',
      'The Git connection of this pipeline was disconnected. Create a pipeline with another connection.',
    )
  if (revision.commitSha !== null || revision.tag !== null) return revision
  // Noted now: another default branch later is no change of this run.
  const branch = revision.branch ?? appBranch ?? connection.defaultBranch
  if (branch === null)
    throw invalid('The Git connection has no default branch. Name a branch.', [
      { path: 'branch', message: 'is required: the Git connection has no default branch' },
    ])
  return { branch, tag: null, commitSha: null }
}

const hashOf = ({ idempotencyKey: _, ...request }: ApplicationRunRequest): Buffer =>
  request.rerun
    ? hashOfRerun({ noun: 'Pipeline', id: request.pipelineId, runId: request.rerun.of })
    : createHash('sha256').update(canonicalJson(request)).digest()
