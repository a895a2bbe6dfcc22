import type { Store } from '../../store/driver/connect.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { mergedSlices, type StaleMonths } from '../../store/finops/merged-slices.ts'

/** A month of fewer charges is read as fast slice by slice. */
const leastChargesOfMonth = 20_000

/**
 * Merges the sums of each month whose current slices are others than those that were merged, each in a transaction
 * of its own. Idempotent; readers see the same answers before and after. A month that another worker merges is
 * left to it.
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
  let isComplete = true
  for (const month of found.months)
    if (!(await store.tenant(organizationId, async (tenant) => mergeMonth(tenant, month))))
      isComplete = false
  // The other worker may die: the next pass looks whether it has merged the month.
  if (!isComplete) return
  // A change meanwhile has raised the version, and is merged next.
  await store.tenant(organizationId, async (tenant) => mergedSlices(tenant).merged(found.version))
}

/** False if another worker is at it. */
async function mergeMonth(
  tenant: Tenant,
  { period, isWanted }: StaleMonths['months'][number],
): Promise<boolean> {
  const merged = mergedSlices(tenant)
  if (!(await merged.tryLock(period))) return false
  if (!isWanted) await merged.drop(period)
  // Another worker may have merged it since it was found.
  else if (!(await merged.isMerged(period))) await merged.merge(period)
  return true
}
