import { lacksRequiredSbom } from '../../app/artifacts/lacks-required-sbom.ts'
import { commitsSince, type CommitsSince } from '../../app/deployments/commits-since.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import { pipelines, type Pipeline } from '../../store/pipelines/pipelines.ts'
import { promotions } from '../../store/runs/promotions.ts'
import { releases } from '../../store/runs/releases.ts'
import type { Deps } from '../deps.ts'
import type { Revision } from './begin-application-run.ts'

export type Promoted = { artifactRunId: number; sourceRunId: number; source: Revision }

/**
 * The run whose artifact is promoted. It may be of any pipeline of the organization with the same
 * repository, as it was built: with another one, its commits would say nothing to who knows this pipeline.
 */
export async function findPromoted(
  tenant: Tenant,
  { pipeline, artifactOf }: { pipeline: Pipeline; artifactOf: number },
): Promise<Promoted> {
  const found = await promotions(tenant).find(artifactOf)
  if (!found) throw notFound()
  const isSame =
    found.connectionId !== null &&
    found.connectionId === pipeline.appGitConnectionId &&
    found.repository?.toLowerCase() === pipeline.appRepo?.toLowerCase()
  if (!isSame)
    throw conflict('not_promotable', 'That run is of another repository than this pipeline.')
  if (!found.isKept)
    throw conflict(
      'not_promotable',
      'That run has no artifact that is kept, so there is nothing to promote.',
    )
  if (await lacksRequiredSbom(tenant, { pipeline, artifactRunId: found.artifactRunId }))
    throw conflict(
      'not_promotable',
      'This pipeline requires a bill of materials, and the artifact of that run has none.',
    )
  return {
    artifactRunId: found.artifactRunId,
    sourceRunId: found.sourceRunId,
    source: { branch: found.branch, tag: found.tag, commitSha: found.commitSha },
  }
}

/** Between which commits the host of the repository is asked. */
export type PromotedRange = {
  connectionId: number | null
  repository: string | null
  targetWorkspaceId: number | null
  branch: string | null
  from: string | null
  to: string | null
}

export type ReadPromoted = { range: PromotedRange; since: CommitsSince }

/** Who wrote what is promoted is not known: such a release is harder to approve. */
export const unknownCommits: CommitsSince = {
  authorUserIds: [],
  unknownAuthor: true,
  commits: [],
  truncated: true,
}

/** As the pipeline and its last good deployment are now: final where the pipeline is held. */
export async function rangeOfPromotion(
  tenant: Tenant,
  { pipeline, artifactOf }: { pipeline: Pipeline; artifactOf: number },
): Promise<PromotedRange> {
  const { source } = await findPromoted(tenant, { pipeline, artifactOf })
  const { id, appGitConnectionId: connectionId, appRepo: repository, targetWorkspaceId } = pipeline
  const good =
    targetWorkspaceId === null ? undefined : await releases(tenant).lastGood(id, targetWorkspaceId)
  const from = good?.commitSha ?? null
  const branch = source.branch ?? pipeline.appBranch
  const to = source.commitSha
  return { connectionId, repository, targetWorkspaceId, branch, from, to }
}

/**
 * The commits that this pipeline's target does not have yet, asked of the repository's host. A run that
 * cannot be promoted is refused first, so that nobody has us ask for it. No lock is held while the host is asked, so
 * the range may be another one afterwards.
 */
export async function readPromoted(
  deps: Deps,
  organizationId: number,
  { pipelineId, artifactOf }: { pipelineId: number; artifactOf: number },
): Promise<ReadPromoted> {
  const { range, connection } = await deps.store.tenant(organizationId, async (tenant) => {
    const pipeline = await pipelines(tenant).get(pipelineId)
    const at = await rangeOfPromotion(tenant, { pipeline, artifactOf })
    const found =
      at.connectionId === null ? undefined : await gitConnections(tenant).find(at.connectionId)
    return { range: at, connection: found }
  })
  const { repository, from, to } = range
  if (!connection || repository === null || to === null) return { range, since: unknownCommits }
  const branch = range.branch ?? connection.defaultBranch
  const at = { organizationId, connection, repository, branch, from, to }
  const since = await commitsSince(deps, at)
  return { range, since }
}
