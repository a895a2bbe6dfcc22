import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudResources } from '../../store/clouds/cloud-resources.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { presentResources } from './present-resources.ts'
import type { ResourceBody, ResourceQuery } from './resource-schemas.ts'

/** A page of the resources that match. */
export async function listResources(
  { store }: Pick<Deps, 'store'>,
  organizationId: number,
  { limit = 50, cursor, ...filters }: ResourceQuery,
): Promise<{ resources: ResourceBody[]; nextCursor: string | null }> {
  const after = decodeCursor(cursor, 0)
  return store.tenant(organizationId, async (tenant) => {
    // A foreign id is not found, rather than a thing without resources.
    for (const id of filters.accountId ?? []) await cloudAccounts(tenant).get(id)
    for (const id of filters.workspaceId ?? []) await workspaces(tenant).get(id)
    const found = await cloudResources(tenant).list(filters, limit + 1, after)
    const { rows, nextCursor } = page(found, limit)
    return { resources: await presentResources(tenant, rows), nextCursor }
  })
}
