import type { Tenant } from '../../store/driver/tenant.ts'
import type { Static } from 'typebox'
import { startPipelineWebhook } from '../../app/git/start-webhook.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { invalid, notFound } from '../../domain/errors.ts'
import {
  applicationFields,
  assertPatternsFit,
  hasTrigger,
  readApplicationSettings,
} from '../../domain/pipelines/application-settings.ts'
import { assertMayChangeGuard } from '../../domain/workspaces/guard-denied.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { changedParts } from '../../domain/pipelines/parts-of-change.ts'
import { pipelineAuthorship } from '../../store/pipelines/pipeline-authorship.ts'
import { pipelines, type NewPipeline } from '../../store/pipelines/pipelines.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { checkPipelineName } from './check-pipeline-name.ts'
import { auditingGuards } from './hold-pipeline.ts'
import { presentPipelines } from './present-pipelines.ts'
import type { NewPipelineBody, PipelineBody } from './schemas.ts'
import { sourceOfApplication } from './source-of-application.ts'

/** Creates a pipeline of the user's own. `provision-<workspace>` is created with its workspace. */
export async function createPipeline(
  deps: Deps,
  caller: Caller,
  input: NewPipelineBody,
): Promise<Static<typeof PipelineBody>> {
  const { organizationId } = caller
  const kind = input.kind ?? 'application'
  const name = checkPipelineName(input.name)
  return auditingGuards(deps, { caller }, async () =>
    deps.store.tenant(organizationId, async (tenant) => {
      if (input.targetWorkspaceId !== undefined)
        await workspaces(tenant).get(input.targetWorkspaceId)
      const own = kind === 'application' ? await ofApplication(tenant, caller, input) : {}
      if (kind === 'infrastructure') assertNoApplication(input)
      const created = await pipelines(tenant).create({
        name,
        kind,
        ...own,
        targetWorkspaceId: input.targetWorkspaceId ?? null,
        strategy: input.strategy ?? null,
        ...(input.labels && { labels: input.labels }),
        ...(input.description !== undefined && { description: input.description }),
      })
      // Who chose the source, the strategy and the target is an author of the first release.
      if (kind === 'application')
        await pipelineAuthorship(tenant).add(created.id, caller.userId, {
          what: 'created',
          parts: changedParts,
        })
      if (hasTrigger(created)) await startPipelineWebhook(tenant, created)
      await auditLog(tenant, actorOf(caller)).record('pipeline.created', {
        target: { kind: 'pipeline', id: created.id, label: created.name },
      })
      const [body] = await presentPipelines(tenant, [created])
      if (!body) throw notFound()
      return body
    }),
  )
}

async function ofApplication(
  tenant: Tenant,
  caller: Caller,
  input: NewPipelineBody,
): Promise<Partial<NewPipeline>> {
  const source = await sourceOfApplication(tenant, input)
  const settings = readApplicationSettings(input)
  assertPatternsFit(settings)
  if (settings.rollbackApproval === 'once') assertMayChangeGuard(caller, 'rollbackApproval')
  const triggers = {
    triggerPush: settings.triggerPush ?? false,
    triggerTags: settings.triggerTags ?? [],
  }
  return { ...source, ...settings, ...(hasTrigger(triggers) && { webhookState: 'pending' }) }
}

function assertNoApplication(input: NewPipelineBody): void {
  if (input.targetWorkspaceId === undefined)
    throw invalid('An infrastructure pipeline needs a target workspace.', [
      { path: 'targetWorkspaceId', message: 'is required for kind "infrastructure"' },
    ])
  refuseApplicationFields(input)
}

/** Of a pipeline of kind `infrastructure`, whose files come from its workspace. */
export function refuseApplicationFields(
  input: Partial<
    Record<(typeof applicationFields)[number] | 'appGitConnectionId' | 'appRepo', unknown>
  >,
): void {
  const extra = (['appGitConnectionId', 'appRepo', ...applicationFields] as const).filter(
    (field) => input[field] !== undefined,
  )
  if (extra.length > 0)
    throw invalid(
      'An infrastructure pipeline has no application source.',
      extra.map((path) => ({ path, message: 'is only for kind "application"' })),
    )
}
