import type { Store } from '../../store/driver/connect.ts'
import { mergedSlices } from '../../store/finops/merged-slices.ts'

/** A month of fewer charges is read as fast slice by slice. */
const leastChargesOfMonth = 20_000

/**
 * Merges the sums of each month whose current slices are others than those that were merged, each in a transaction
 * of its own. Idempotent; readers see the same answers before and after.
 */
export async function mergeSlices(
  store: Store,
  organizationId: number,
  leastCharges = leastChargesOfMonth,
): Promise<void> {
  const found = await store.tenant(organizationId, async (tenant) =>
    mergedSlices(tenant).stale(leastCharges),
  )
  if (!found) return
  for (const { period, isWanted } of found.months)
    await store.tenant(organizationId, async (tenant) =>
      isWanted ? mergedSlices(tenant).merge(period) : mergedSlices(tenant).drop(period),
    )
  // A change meanwhile has raised the version, and is merged next.
  await store.tenant(organizationId, async (tenant) => mergedSlices(tenant).merged(found.version))
}
