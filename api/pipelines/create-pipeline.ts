import type { Tenant } from '../../store/driver/tenant.ts'
import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { invalid, notFound } from '../../domain/errors.ts'
import { repositoryName } from '../../domain/git/repository-name.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import { pipelines, type Pipeline } from '../../store/pipelines/pipelines.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { presentPipelines } from './present-pipelines.ts'
import type { NewPipelineBody, PipelineBody } from './schemas.ts'

type NewPipeline = Static<typeof NewPipelineBody>
type Source = Pick<Pipeline, 'appGitConnectionId' | 'appRepo'>

/** Creates a pipeline of the user's own. `provision-<workspace>` is created with its workspace. */
export async function createPipeline(
  deps: Deps,
  caller: Caller,
  input: NewPipeline,
): Promise<Static<typeof PipelineBody>> {
  const { organizationId } = caller
  const kind = input.kind ?? 'application'
  return deps.store.tenant(organizationId, async (tenant) => {
    // With spaces around it, the name would look like another pipeline's.
    const name = input.name.trim()
    checkName(name)
    if (input.targetWorkspaceId !== undefined) await workspaces(tenant).get(input.targetWorkspaceId)
    const source = kind === 'application' ? await applicationSource(tenant, input) : noSource(input)
    const created = await pipelines(tenant).create({
      name,
      kind,
      ...source,
      targetWorkspaceId: input.targetWorkspaceId ?? null,
      strategy: input.strategy ?? null,
    })
    await auditLog(tenant, actorOf(caller)).record('pipeline.created', {
      target: { kind: 'pipeline', id: created.id, label: created.name },
    })
    const [body] = await presentPipelines(tenant, [created])
    if (!body) throw notFound()
    return body
  })
}

function checkName(name: string): void {
  if (/^provision-/i.test(name))
    throw invalid('Names that begin with "provision-" belong to workspaces.', [
      { path: 'name', message: 'choose a name that does not begin with "provision-"' },
    ])
}

/** The repository that an application is built from, by the name that its host uses. */
async function applicationSource(
  tenant: Tenant,
  { appGitConnectionId, appRepo }: NewPipeline,
): Promise<Source> {
  // Locked until the pipeline exists, so that a concurrent disconnect happens before or after it.
  const connection =
    appGitConnectionId === undefined
      ? undefined
      : await gitConnections(tenant).getForUpdate(appGitConnectionId)
  if (!connection || appRepo === undefined) {
    const missing = [
      ...(connection ? [] : ['appGitConnectionId']),
      ...(appRepo === undefined ? ['appRepo'] : []),
    ]
    throw invalid(
      'An application pipeline needs an application Git connection and a repository.',
      missing.map((path) => ({ path, message: 'is required for kind "application"' })),
    )
  }
  const { id, repoType, product, host } = connection
  if (repoType !== 'application')
    throw invalid('An application pipeline needs a Git connection of type "application".', [
      { path: 'appGitConnectionId', message: 'is a connection of type "infra"' },
    ])
  return {
    appGitConnectionId: id,
    appRepo: repositoryName(appRepo, { product, host, field: 'appRepo' }),
  }
}

function noSource(input: NewPipeline): Source {
  if (input.targetWorkspaceId === undefined)
    throw invalid('An infrastructure pipeline needs a target workspace.', [
      { path: 'targetWorkspaceId', message: 'is required for kind "infrastructure"' },
    ])
  const extra = (['appGitConnectionId', 'appRepo'] as const).filter(
    (field) => input[field] !== undefined,
  )
  if (extra.length > 0)
    throw invalid(
      'An infrastructure pipeline has no application source.',
      extra.map((path) => ({ path, message: 'is only for kind "application"' })),
    )
  return { appGitConnectionId: null, appRepo: null }
}
