import type { ClaimedWork } from '../../../app/agents/claim-next.ts'
import type { ClaimAnswer } from './schemas.ts'

export function presentClaim(claimed: ClaimedWork): ClaimAnswer['deployment'] {
  const { deploymentId, fence, action, leaseUntil, release, env } = claimed
  const { digest, contentDigest, sizeBytes, runId, provenance, keep } = release
  const hooks = Object.entries(release.hooks)
  return {
    id: deploymentId,
    fence,
    action,
    leaseUntil: leaseUntil.toISOString(),
    release: { digest, contentDigest, sizeBytes, runId, provenance: provenance ?? null },
    hooks: Object.fromEntries(
      hooks.map(([name, { path, repeatable }]) => [name, { path, repeatable }]),
    ),
    timeouts: Object.fromEntries(hooks.map(([name, { timeoutSeconds }]) => [name, timeoutSeconds])),
    keep,
    env: [...env],
    order: release.order,
  }
}
