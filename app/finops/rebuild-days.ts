import type { Store } from '../../store/driver/connect.ts'
import { costRebuilds } from '../../store/finops/cost-rebuilds.ts'
import { raiseCostVersion } from '../../store/finops/raise-cost-version.ts'
import { rollUpDays } from '../../store/finops/roll-up.ts'

/**
 * Sums the days again on which an owner changed with what a workspace holds, each slice in a transaction of
 * its own. Idempotent: the note of it is deleted last, and only if no later change was noted.
 */
export async function rebuildDays(
  store: Store,
  { organizationId, workspaceId }: { organizationId: number; workspaceId: number },
): Promise<void> {
  const found = await store.tenant(organizationId, async (tenant) =>
    costRebuilds(tenant).find(workspaceId),
  )
  if (found === undefined || found === 'wait') return
  for (const { sliceId, days } of found.slices)
    await store.tenant(organizationId, async (tenant) => {
      const slice = await costRebuilds(tenant).hold(sliceId)
      if (!slice) return
      await rollUpDays(tenant, slice, days)
      if (slice.isCurrent) await raiseCostVersion(tenant)
    })
  await store.tenant(organizationId, async (tenant) =>
    costRebuilds(tenant).done(workspaceId, found.version),
  )
}
