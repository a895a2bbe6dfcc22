import { resourcesInBills } from '../../store/clouds/resources-in-bills.ts'
import type { CloudResource } from '../../store/clouds/cloud-resources.ts'
import { workspaceResources } from '../../store/clouds/workspace-resources.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { ResourceBody } from './resource-schemas.ts'

/** Resources with the workspaces that hold them, and what the current bills say of them. */
export async function presentResources(
  tenant: Tenant,
  resources: readonly CloudResource[],
): Promise<ResourceBody[]> {
  const ids = resources.map(({ cloudId }) => cloudId)
  const { currency } = await organizationSettings(tenant)
  const [owners, bills] = await Promise.all([
    workspaceResources(tenant).ownersOf(ids),
    resourcesInBills(tenant, ids, currency),
  ])
  return resources.map(({ isListed, ...resource }) => {
    const owner = owners.get(resource.cloudId)
    const billed = bills.get(resource.cloudId)
    const lastSeenAt =
      isListed || !billed ? resource.lastSeenAt : new Date(`${billed.lastDay}T00:00:00Z`)
    return {
      ...resource,
      accountId: resource.accountId === 0 ? null : resource.accountId,
      firstSeenAt: resource.firstSeenAt.toISOString(),
      lastSeenAt: lastSeenAt.toISOString(),
      seenIn: [
        ...(isListed ? ['inventory' as const] : []),
        ...(billed || !isListed ? ['bill' as const] : []),
      ],
      workspace: owner
        ? { id: owner.workspaceId, name: owner.workspaceName, address: owner.address }
        : null,
      cost30Days: billed?.cost ?? null,
      currency: billed?.currency ?? currency,
    }
  })
}
