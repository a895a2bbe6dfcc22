import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { invalid, notFound } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { presentPipelines } from './present-pipelines.ts'
import type { NewPipelineBody, PipelineBody } from './schemas.ts'

/** A pipeline of the user's own (§4.4); each workspace's `provision-…` makes itself. */
export async function createPipeline(
  deps: Deps,
  caller: Caller,
  input: Static<typeof NewPipelineBody>,
): Promise<Static<typeof PipelineBody>> {
  const { organizationId } = caller
  const kind = input.kind ?? 'application'
  return deps.store.tenant(organizationId, async (db) => {
    if (input.targetWorkspaceId !== undefined)
      await workspaces(db, organizationId).get(input.targetWorkspaceId)
    checkFields(input, kind)
    const created = await pipelines(db, organizationId).create({
      name: input.name,
      kind,
      targetWorkspaceId: input.targetWorkspaceId ?? null,
      strategy: input.strategy ?? null,
    })
    await auditLog(db, organizationId, actorOf(caller)).record('pipeline.created', {
      target: { kind: 'pipeline', id: created.id, label: created.name },
    })
    const [body] = await presentPipelines(db, organizationId, [created])
    if (!body) throw notFound()
    return body
  })
}

function checkFields(
  input: Static<typeof NewPipelineBody>,
  kind: 'application' | 'infrastructure',
): void {
  if (/^provision-/i.test(input.name))
    throw invalid('Names that begin with "provision-" belong to workspaces.', [
      { path: 'name', message: 'choose a name that does not begin with "provision-"' },
    ])
  if (kind === 'application') {
    const missing = (['appGitConnectionId', 'appRepo'] as const).filter(
      (field) => input[field] === undefined,
    )
    if (missing.length > 0)
      throw invalid(
        'An application pipeline needs an application Git connection and a repository.',
        missing.map((path) => ({ path, message: 'is required for kind "application"' })),
      )
    // Git connections are kept elsewhere; an id that none of them has is nobody's.
    throw notFound()
  }
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
}
