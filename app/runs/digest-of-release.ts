import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/canonical-json.ts'
import type { Strategy } from '../../domain/manifest/resolve-strategy.ts'
import { releaseDigest } from '../../domain/pipelines/release-digest.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { releases, type Release } from '../../store/runs/releases.ts'

/** The digest of a run's release, from what would be deployed now. */
export async function digestOfRelease(
  tenant: Tenant,
  release: Release & { strategy: Strategy },
): Promise<string> {
  const { artifactDigest, manifestSha256 } = release
  if (artifactDigest === null || manifestSha256 === null)
    throw new Error('a run without an artifact has no release')
  const variables = await releases(tenant).variableHashes(release.pipelineId)
  return releaseDigest({
    artifactSha256: artifactDigest.replace('sha256:', ''),
    manifestSha256,
    commitSha: release.commitSha ?? '',
    strategy: release.strategy,
    targetWorkspaceId: release.targetWorkspaceId,
    // Over keyed hashes of the values, so that nobody can try values against it.
    variablesMac: createHash('sha256').update(canonicalJson(variables)).digest('hex'),
    isRollback: release.rollbackOf !== null,
  })
}
