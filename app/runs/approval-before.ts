import type { Strategy } from '../../domain/manifest/resolve-strategy.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { releases, type Release } from '../../store/runs/releases.ts'
import { digestOfRelease } from './digest-of-release.ts'

/** How long an approval of a release holds for a rollback to it, with `rollbackApproval: once`. */
const approvedDays = 90

/**
 * The run whose approval a rollback may use again. Only of the very release that comes back: with other
 * variables, another strategy or another target, nobody has seen it. A release that was approved as a run
 * forward differs from its rollback in that alone, so both forms count.
 */
export async function approvalBefore(
  tenant: Tenant,
  release: Release & { targetWorkspaceId: number; strategy: Strategy },
): Promise<number | undefined> {
  if (release.rollbackOf === null || release.rollbackApproval !== 'once') return undefined
  const digests = [
    await digestOfRelease(tenant, release),
    await digestOfRelease(tenant, { ...release, rollbackOf: null }),
  ]
  return releases(tenant).approvedWithin(release, { digests, days: approvedDays })
}
