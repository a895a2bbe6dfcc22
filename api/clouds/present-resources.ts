import type { CloudResource } from '../../store/clouds/cloud-resources.ts'
import { workspaceResources } from '../../store/clouds/workspace-resources.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { ResourceBody } from './resource-schemas.ts'

/** Resources with the workspaces that hold them today. */
export async function presentResources(
  tenant: Tenant,
  resources: readonly CloudResource[],
): Promise<ResourceBody[]> {
  const ids = resources.map(({ cloudId }) => cloudId)
  const today = new Date().toISOString().slice(0, 10)
  const owners = await workspaceResources(tenant).ownersOf(ids, today)
  return resources.map((resource) => {
    const owner = owners.get(resource.cloudId)
    return {
      ...resource,
      firstSeenAt: resource.firstSeenAt.toISOString(),
      lastSeenAt: resource.lastSeenAt.toISOString(),
      seenIn: ['inventory'],
      workspace: owner
        ? { id: owner.workspaceId, name: owner.workspaceName, address: owner.address }
        : null,
    }
  })
}
