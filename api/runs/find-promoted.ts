import { commitsSince, type CommitsSince } from '../../app/deployments/commits-since.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import { pipelines, type Pipeline } from '../../store/pipelines/pipelines.ts'
import { promotions } from '../../store/runs/promotions.ts'
import { releases } from '../../store/runs/releases.ts'
import type { Deps } from '../deps.ts'
import type { Revision } from './begin-application-run.ts'

export type Promoted = { artifactRunId: number; source: Revision }

/**
 * The run whose artifact is promoted. It may be of any pipeline of the organization with the same
 * repository: with another one, its commits would say nothing to who knows this pipeline.
 */
export async function findPromoted(
  tenant: Tenant,
  { pipeline, artifactOf }: { pipeline: Pipeline; artifactOf: number },
): Promise<Promoted> {
  const found = await promotions(tenant).find(artifactOf)
  if (!found) throw notFound()
  const isSame =
    found.appGitConnectionId !== null &&
    found.appGitConnectionId === pipeline.appGitConnectionId &&
    found.appRepo?.toLowerCase() === pipeline.appRepo?.toLowerCase()
  if (!isSame)
    throw conflict('not_promotable', 'That run is of another repository than this pipeline.')
  if (!found.isKept)
    throw conflict(
      'not_promotable',
      'That run has no artifact that is kept, so there is nothing to promote.',
    )
  return {
    artifactRunId: found.artifactRunId,
    source: { branch: found.branch, tag: found.tag, commitSha: found.commitSha },
  }
}

/**
 * The commits that this pipeline's target does not have yet, asked of the repository's host. A run that
 * cannot be promoted is refused first, so that nobody has us ask for it.
 */
export async function readPromoted(
  deps: Deps,
  organizationId: number,
  { pipelineId, artifactOf }: { pipelineId: number; artifactOf: number },
): Promise<CommitsSince> {
  const unknown = { authorUserIds: [], unknownAuthor: true, commits: [], truncated: true }
  const at = await deps.store.tenant(organizationId, async (tenant) => {
    const pipeline = await pipelines(tenant).get(pipelineId)
    const { source } = await findPromoted(tenant, { pipeline, artifactOf })
    const { appGitConnectionId, appRepo: repository, targetWorkspaceId } = pipeline
    const connection =
      appGitConnectionId === null
        ? undefined
        : await gitConnections(tenant).find(appGitConnectionId)
    const good =
      targetWorkspaceId === null
        ? undefined
        : await releases(tenant).lastGood(pipelineId, targetWorkspaceId)
    return { connection, repository, from: good?.commitSha ?? null, to: source.commitSha }
  })
  const { connection, repository, from, to } = at
  if (!connection || repository === null || to === null) return unknown
  return commitsSince(deps, { organizationId, connection, repository, from, to })
}
