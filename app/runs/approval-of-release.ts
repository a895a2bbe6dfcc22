import type { Tenant } from '../../store/driver/tenant.ts'
import { releaseApprovals, type ReleaseApproval } from '../../store/runs/release-approvals.ts'
import type { Release } from '../../store/runs/releases.ts'
import { approvalBefore } from './approval-before.ts'

/** What a release is deployed by: its own decision, or the earlier approval that a rollback uses again. */
export async function approvalOfRelease(
  tenant: Tenant,
  release: Release,
): Promise<ReleaseApproval | undefined> {
  const { runId, approvedBefore, targetWorkspaceId, resolvedStrategy: strategy } = release
  if (approvedBefore === null) return releaseApprovals(tenant).standing(runId)
  const isWhole = release.artifactDigest !== null && release.manifestSha256 !== null
  if (targetWorkspaceId === null || !strategy || !isWhole) return undefined
  const earlier = await approvalBefore(tenant, { ...release, targetWorkspaceId, strategy })
  return earlier === undefined ? undefined : releaseApprovals(tenant).standing(earlier)
}
