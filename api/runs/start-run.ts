import type { Store } from '../../store/driver/connect.ts'
import { createHash } from 'node:crypto'
import type { Caller } from '../../domain/access/caller.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { AppError, conflict, notFound } from '../../domain/errors.ts'
import { refuseOverrides } from '../../domain/workspaces/variable-bounds.ts'
import { actorOf } from '../../store/audit/audit-log.ts'
import { movedCodes, versionOfRun } from '../../app/runs/version-of-run.ts'
import { runTarget, type RunTarget } from '../../store/runs/run-target.ts'
import { idempotencyKeys } from '../../store/requests/idempotency-keys.ts'
import { sealOverrides } from '../../app/workspaces/seal-overrides.ts'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { readGitSource, type GitSourceRead } from '../../app/workspaces/read-git-source.ts'
import { inSourceTurn } from '../git/source-turns.ts'
import { beginWorkspaceRun } from './begin-workspace-run.ts'
import { firstAnswerTo } from './first-answer-to.ts'
import type { RunAnswer } from './schemas.ts'

export type RunRequest = {
  target: { pipelineId: number } | { workspaceId: number }
  kind: 'apply' | 'plan'
  destroy?: boolean
  /** Its plan waits until a person confirms it. */
  confirm?: boolean
  message?: string
  vars?: Record<string, string | number | boolean>
  idempotencyKey?: string | undefined
}

/**
 * Starts a run (docs/runs.md, "Transitions"). The run, its place in each pipeline, its turn, its
 * audit entry and the outbox row commit together.
 */
export async function startRun(
  deps: Deps,
  caller: Caller,
  request: RunRequest,
): Promise<RunAnswer> {
  const { organizationId } = caller
  const first = await firstAnswerTo(deps.store, caller, {
    ...request,
    requestHash: hashOf(request),
  })
  if (first) return first
  // The target next: another organization's id is not found, whatever the engine's health.
  const { workspaceId, sourceKind } = await targetOf(deps.store, organizationId, request)
  await deps.engine.assertReachable()
  for (let tries = 1; ; tries += 1)
    try {
      // It may have been led to Git since: then `begin` finds that, and the next try reads it.
      if (tries === 1 && sourceKind === 'inline')
        return await begin(deps, caller, { request, workspaceId, source: undefined })
      return await inSourceTurn(organizationId, async () => {
        // Outside of any transaction: a provider may be slow.
        const source = await readGitSource(deps, { organizationId, workspaceId })
        return begin(deps, caller, { request, workspaceId, source })
      })
    } catch (error) {
      // The branch or the configuration moved on while it was read.
      const moved = error instanceof AppError && movedCodes.has(error.code)
      if (!moved || tries === maxReads) throw error
    }
}

const maxReads = 3

type Beginning = {
  request: RunRequest
  workspaceId: number
  source: GitSourceRead | undefined
}

async function begin(
  deps: Deps,
  caller: Caller,
  { request, workspaceId, source }: Beginning,
): Promise<RunAnswer> {
  const { organizationId } = caller
  return deps.store.tenant(organizationId, async (tenant) => {
    const { idempotencyKey: key } = request
    const keys = idempotencyKeys(tenant)
    // Of the person, for who repeats a request may have signed in again or taken a new token.
    const who = `user:${caller.userId}`
    if (key !== undefined) {
      const first = await keys.take(who, key, hashOf(request))
      // Written below, in this shape.
      if (first) return first.response as RunAnswer
    }
    const workspace = await workspaces(tenant).getForUpdate(workspaceId)
    const version = await versionOfRun(tenant, deps, { actor: actorOf(caller), workspace, source })
    const { kind, destroy, vars, target, confirm, message = '' } = request
    const refusal =
      vars && refuseOverrides(vars, await workspaceVariables(tenant).measure(workspaceId))
    if (refusal) throw refusal
    const answer = await beginWorkspaceRun(tenant, caller, {
      workspace,
      version,
      kind,
      destroy: destroy ?? false,
      confirm: confirm ?? false,
      startMessage: message.trim() || null,
      overrides:
        vars && Object.keys(vars).length > 0
          ? sealOverrides(deps.keyring, organizationId, vars)
          : null,
      pipelineId: 'pipelineId' in target ? target.pipelineId : undefined,
    })
    if (key !== undefined) await keys.answer(who, key, { status: 201, response: answer })
    return answer
  })
}

/** The workspace that the request names, itself or by a pipeline. */
async function targetOf(
  store: Store,
  organizationId: number,
  { target }: RunRequest,
): Promise<RunTarget> {
  const found = await runTarget(store, organizationId, target)
  if (!found) throw notFound()
  const { workspaceId, sourceKind } = found
  if (workspaceId === null || sourceKind === null)
    throw conflict('not_runnable', 'This pipeline has no workspace to run on.')
  return { workspaceId, sourceKind }
}

const hashOf = ({ idempotencyKey: _, ...request }: RunRequest): Buffer =>
  createHash('sha256').update(canonicalJson(request)).digest()
