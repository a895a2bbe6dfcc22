import { resourcesInBills } from '../../store/clouds/resources-in-bills.ts'
import type { CloudResource } from '../../store/clouds/cloud-resources.ts'
import { workspaceResources } from '../../store/clouds/workspace-resources.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { ResourceBody } from './resource-schemas.ts'

/** Resources with the workspaces that hold them today, and whether the current bills have them. */
export async function presentResources(
  tenant: Tenant,
  resources: readonly CloudResource[],
): Promise<ResourceBody[]> {
  const ids = resources.map(({ cloudId }) => cloudId)
  const today = new Date().toISOString().slice(0, 10)
  const [owners, billed] = await Promise.all([
    workspaceResources(tenant).ownersOf(ids, today),
    resourcesInBills(tenant, ids),
  ])
  return resources.map(({ isListed, ...resource }) => {
    const owner = owners.get(resource.cloudId)
    const lastDay = billed.get(resource.cloudId)
    const lastSeenAt =
      isListed || lastDay === undefined ? resource.lastSeenAt : new Date(`${lastDay}T00:00:00Z`)
    return {
      ...resource,
      accountId: resource.accountId === 0 ? null : resource.accountId,
      firstSeenAt: resource.firstSeenAt.toISOString(),
      lastSeenAt: lastSeenAt.toISOString(),
      seenIn: [
        ...(isListed ? ['inventory' as const] : []),
        ...(lastDay !== undefined || !isListed ? ['bill' as const] : []),
      ],
      workspace: owner
        ? { id: owner.workspaceId, name: owner.workspaceName, address: owner.address }
        : null,
    }
  })
}
