import { isDeepStrictEqual } from 'node:util'
import type { Static } from 'typebox'
import { startPipelineWebhook } from '../../app/git/start-webhook.ts'
import { notePipelineChange } from '../../app/pipelines/note-pipeline-change.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { conflict, invalid, notFound } from '../../domain/errors.ts'
import {
  assertPatternsFit,
  hasTrigger,
  readApplicationSettings,
} from '../../domain/pipelines/application-settings.ts'
import { partsOfChange } from '../../domain/pipelines/parts-of-change.ts'
import { assertMayChangeGuard } from '../../domain/workspaces/guard-denied.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { pipelineVariables } from '../../store/pipelines/pipeline-variables.ts'
import { pipelines, type Pipeline, type PipelineChange } from '../../store/pipelines/pipelines.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { checkPipelineName } from './check-pipeline-name.ts'
import { refuseApplicationFields } from './create-pipeline.ts'
import { holdPipeline } from './hold-pipeline.ts'
import { presentPipelines } from './present-pipelines.ts'
import type { PipelineBody, PipelineChangeBody } from './schemas.ts'
import { sourceOfApplication } from './source-of-application.ts'
import { gitConnections } from '../../store/git/git-connections.ts'

/**
 * Changes a pipeline. Who does becomes an author of its next run, and a waiting approval is void; what
 * its runs are made from or deployed to changes under no run that is not over.
 */
export async function updatePipeline(
  deps: Deps,
  caller: Caller,
  { id, change }: { id: number; change: PipelineChangeBody },
): Promise<Static<typeof PipelineBody>> {
  return holdPipeline(deps, { caller, id }, async (tenant, before) => {
    const asked = await askedFor(tenant, before, change)
    if (before.managed)
      throw conflict(
        'managed_pipeline',
        'This pipeline belongs to its workspace. Change the workspace.',
      )
    const changed = fields.filter(
      (field) => asked[field] !== undefined && !isDeepStrictEqual(asked[field], before[field]),
    )
    if (changed.includes('triggerPaths') || changed.includes('triggerTags'))
      assertPatternsFit({ ...before, ...asked }, before)
    if (changed.includes('rollbackApproval') && asked.rollbackApproval === 'once')
      assertMayChangeGuard(caller, 'rollbackApproval')
    if (changed.includes('targetWorkspaceId') && (await hasSecretsOfProduction(tenant, before)))
      assertMayChangeGuard(caller, 'targetWorkspaceId')
    if (
      sources.some((field) => changed.includes(field)) &&
      (await pipelineRuns(tenant).hasLive(id))
    )
      throw conflict(
        'run_in_progress',
        'A run of this pipeline is not over, and what it is built from or deployed to cannot change under it. Cancel it first.',
      )
    const after = changed.length === 0 ? before : await write(tenant, before, { asked, changed })
    if (changed.length > 0) await note(tenant, caller, { before, after, changed })
    const [body] = await presentPipelines(tenant, [after])
    if (!body) throw notFound()
    return body
  })
}

const sources = [
  'appGitConnectionId',
  'appRepo',
  'appBranch',
  'appPath',
  'targetWorkspaceId',
] as const
/** What a pipeline is found by. No run reads it, so a change of it voids nothing. */
const found = ['labels', 'description'] as const
const triggers = ['triggerPush', 'triggerPaths', 'triggerTags'] as const
const fields = [
  'name',
  'strategy',
  ...sources,
  ...triggers,
  'rollbackApproval',
  'sbom',
  'agentWaitMinutes',
  ...found,
] as const satisfies ReadonlyArray<keyof PipelineChange>
type Field = (typeof fields)[number]

/** A deployment to another workspace gives the sensitive variables to its hosts, which others may own. */
async function hasSecretsOfProduction(
  tenant: Tenant,
  { id, targetWorkspaceId }: Pipeline,
): Promise<boolean> {
  if (targetWorkspaceId === null) return false
  const { criticality } = await workspaces(tenant).get(targetWorkspaceId)
  if (criticality !== 'production') return false
  const variables = await pipelineVariables(tenant, id).list('deploy')
  return variables.some(({ sensitive }) => sensitive)
}

async function askedFor(
  tenant: Tenant,
  before: Pipeline,
  change: PipelineChangeBody,
): Promise<PipelineChange> {
  const { name, strategy, targetWorkspaceId, appGitConnectionId, appRepo, ...others } = change
  const { labels, description, ...settings } = others
  if (before.kind === 'infrastructure') assertInfrastructure(change)
  if (targetWorkspaceId) await workspaces(tenant).get(targetWorkspaceId)
  // A connection that was disconnected leaves a pipeline without one, until it is named anew.
  const isOtherSource = appGitConnectionId !== undefined || appRepo !== undefined
  const source = isOtherSource
    ? await sourceOfApplication(tenant, {
        appGitConnectionId: appGitConnectionId ?? before.appGitConnectionId,
        appRepo: appRepo ?? before.appRepo,
      })
    : {}
  // It begins to follow the connection's branch, which must not be moved meanwhile (api/git/hold-followed.ts).
  if (change.appBranch === null && !isOtherSource && before.appGitConnectionId !== null)
    await gitConnections(tenant).getForShare(before.appGitConnectionId)
  return {
    ...(name !== undefined && { name: checkPipelineName(name) }),
    ...(strategy !== undefined && { strategy }),
    ...(labels && { labels }),
    ...(description !== undefined && { description }),
    ...(targetWorkspaceId !== undefined && { targetWorkspaceId }),
    ...source,
    ...readApplicationSettings(settings),
  }
}

function assertInfrastructure(change: PipelineChangeBody): void {
  refuseApplicationFields(change)
  if (change.targetWorkspaceId === null)
    throw invalid('An infrastructure pipeline needs a target workspace.', [
      { path: 'targetWorkspaceId', message: 'cannot be cleared for kind "infrastructure"' },
    ])
}

/** The webhook of another repository, or of a pipeline that has a trigger now, is registered anew. */
async function write(
  tenant: Tenant,
  before: Pipeline,
  { asked, changed }: { asked: PipelineChange; changed: readonly Field[] },
): Promise<Pipeline> {
  const after = { ...before, ...asked }
  const isOther = changed.includes('appGitConnectionId') || changed.includes('appRepo')
  const registers = hasTrigger(after) && (isOther || !hasTrigger(before))
  const webhookState = registers ? 'pending' : hasTrigger(after) ? undefined : 'none'
  const columns: PipelineChange = Object.fromEntries(changed.map((field) => [field, asked[field]]))
  const written = await pipelines(tenant).update(before.id, {
    ...columns,
    ...(webhookState && { webhookState }),
  })
  if (registers) await startPipelineWebhook(tenant, written)
  return written
}

async function note(
  tenant: Tenant,
  caller: Caller,
  { before, after, changed }: { before: Pipeline; after: Pipeline; changed: readonly Field[] },
): Promise<void> {
  const { id: pipelineId, name, kind } = after
  await auditLog(tenant, actorOf(caller)).record('pipeline.updated', {
    target: { kind: 'pipeline', id: pipelineId, label: name },
    detail: Object.fromEntries(
      changed.map((field) => [field, { from: before[field], to: after[field] }]),
    ),
  })
  // A run of an infrastructure pipeline is its workspace's, whose authors and approvals are its own.
  const made = changed.filter((field) => !found.some((one) => one === field))
  if (kind === 'infrastructure' || made.length === 0) return
  await notePipelineChange(tenant, caller, {
    pipelineId,
    // Split at the same in store/own-branch.ts.
    what: made.join(', '),
    parts: partsOfChange(made),
    effect: 'guard',
  })
}
