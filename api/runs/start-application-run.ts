import { createHash } from 'node:crypto'
import { requestApplicationStart } from '../../app/runs/request-application-start.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { conflict, invalid } from '../../domain/errors.ts'
import { checkBranchName, checkTagName } from '../../domain/git/repository-name.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import { pipelines, type Pipeline } from '../../store/pipelines/pipelines.ts'
import { idempotencyKeys } from '../../store/requests/idempotency-keys.ts'
import { applicationRuns } from '../../store/runs/application-runs.ts'
import { triggeredRuns } from '../../store/runs/triggered-runs.ts'
import { stages } from '../../store/runs/stages.ts'
import type { Deps } from '../deps.ts'
import { presentRuns } from './present-runs.ts'
import type { RunAnswer } from './schemas.ts'

export type ApplicationRunRequest = {
  pipelineId: number
  branch?: string
  tag?: string
  commit?: string
  strategy?: string
  message?: string
  vars?: unknown
  confirm?: unknown
  idempotencyKey?: string | undefined
}

/**
 * Starts a run of an application pipeline: its place, its stages, its audit entry and the start of its
 * workflow commit together. Of two starts at once each has its own number, and neither ends the other.
 */
export async function startApplicationRun(
  deps: Deps,
  caller: Caller,
  request: ApplicationRunRequest,
): Promise<RunAnswer> {
  const revision = revisionOf(request)
  await deps.engine.assertReachable()
  return deps.store.tenant(caller.organizationId, async (tenant) => {
    const { idempotencyKey: key, pipelineId } = request
    const keys = idempotencyKeys(tenant)
    // Of the person, for who repeats a request may have signed in again or taken a new token.
    const who = `user:${caller.userId}`
    if (key !== undefined) {
      const first = await keys.take(who, key, hashOf(request))
      // Written below, in this shape.
      if (first) return first.response as RunAnswer
    }
    const pipeline = await pipelines(tenant).get(pipelineId)
    const source = await sourceFor(tenant, pipeline, revision)
    const { message, strategy } = request
    const answer = await begin(tenant, caller, { pipeline, source, message, strategy })
    if (key !== undefined) await keys.answer(who, key, { status: 201, response: answer })
    return answer
  })
}

/** What the run is built from. A commit and a tag have no branch: they may be on several, or on none. */
type Revision = { branch: string | null; tag: string | null; commitSha: string | null }

function revisionOf({ branch, tag, commit, vars, confirm }: ApplicationRunRequest): Revision {
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
  const [first, second] = Object.entries({ branch, tag, commit })
    .filter(([, named]) => named !== undefined)
    .map(([name]) => name)
  if (second !== undefined)
    throw invalid('Name a branch, a tag or a commit, not several of them.', [
      { path: second, message: `cannot be sent with a ${first}` },
    ])
  return {
    branch: branch === undefined ? null : checkBranchName(branch),
    tag: tag === undefined ? null : checkTagName(tag),
    commitSha: commit?.toLowerCase() ?? null,
  }
}

/** Of a run of an infrastructure pipeline, whose files come from its workspace. */
export function refuseSource(
  source: Partial<Record<'branch' | 'tag' | 'commit' | 'strategy', unknown>>,
): void {
  const sent = (['branch', 'tag', 'commit', 'strategy'] as const).filter(
    (name) => source[name] !== undefined,
  )
  if (sent.length > 0)
    throw invalid(
      'A run of an infrastructure pipeline has the files of its workspace.',
      sent.map((path) => ({ path, message: 'is for application pipelines' })),
    )
}

async function sourceFor(
  tenant: Tenant,
  { targetWorkspaceId, appGitConnectionId, appRepo, appBranch }: Pipeline,
  revision: Revision,
): Promise<Revision> {
  if (targetWorkspaceId !== null)
    throw conflict(
      'not_runnable',
      'This version builds applications, and deploys none to a workspace. Create a pipeline without a target workspace.',
    )
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

async function begin(
  tenant: Tenant,
  caller: Caller,
  at: {
    pipeline: Pipeline
    source: Revision
    message: string | undefined
    strategy: string | undefined
  },
): Promise<RunAnswer> {
  const { pipeline, source, strategy } = at
  const { branch, tag, commitSha } = source
  const startMessage = at.message?.trim() || null
  const place = await applicationRuns(tenant).create({
    pipelineId: pipeline.id,
    origin: 'person',
    authorUserId: caller.userId,
    authorTokenId: caller.kind === 'token' ? caller.credentialId : null,
    startMessage,
    branch,
    commitSha,
  })
  await triggeredRuns(tenant, pipeline.id).note(place.id, { tag, strategy: strategy ?? null })
  await stages(tenant).createOfApplication(place.id)
  await auditLog(tenant, actorOf(caller)).record('pipeline.run_started', {
    target: { kind: 'run', id: place.id, label: pipeline.name },
    detail: {
      pipelineId: pipeline.id,
      kind: 'application',
      number: place.number,
      ...(branch !== null && { branch }),
      ...(tag !== null && { tag }),
      ...(commitSha !== null && { commit: commitSha }),
      ...(startMessage !== null && { message: startMessage }),
    },
  })
  const { id, number } = place
  const { id: pipelineId, name: pipelineName } = pipeline
  await requestApplicationStart(tenant, { id, number, pipelineId, pipelineName })
  const [run] = await presentRuns(tenant, caller, { places: [place] })
  if (!run) throw new Error('a run that was just made is gone')
  return { run }
}

const hashOf = ({ idempotencyKey: _, ...request }: ApplicationRunRequest): Buffer =>
  createHash('sha256').update(canonicalJson(request)).digest()
