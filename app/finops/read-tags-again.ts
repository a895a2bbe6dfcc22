import { changedAliases } from '../../domain/finops/changed-aliases.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { readAgain } from '../../store/finops/read-again.ts'
import type { OrganizationSettings } from '../../store/organizations/settings.ts'
import { startIngest } from './start-ingest.ts'

type Aliases = OrganizationSettings['tagAliases']

/**
 * Has an ingest read the loaded bills again that have a tag whose aliases changed: otherwise months of before and after
 * the change follow two rules. The old numbers stay until each swap.
 */
export async function readTagsAgain(
  tenant: Tenant,
  { before, after }: { before: Aliases; after: Aliases },
): Promise<void> {
  const keys = changedAliases(before, after)
  if (keys.length === 0) return
  const again = readAgain(tenant)
  await again.holdSources()
  if ((await again.mark(keys)) > 0) await startIngest(tenant, { trigger: 'request' })
}
