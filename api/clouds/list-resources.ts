import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudResources, type ResourceKey } from '../../store/clouds/cloud-resources.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'
import { maxKey } from '../http/paging.ts'
import { presentResources } from './present-resources.ts'
import type { ResourceBody, ResourceQuery } from './resource-schemas.ts'

/** A page of the resources that match. Without tags, they are not read. */
export async function listResources(
  { store }: Pick<Deps, 'store'>,
  organizationId: number,
  {
    limit = 50,
    cursor,
    managed,
    state,
    withTags,
    ...filters
  }: ResourceQuery & { withTags?: boolean },
): Promise<{ resources: ResourceBody[]; nextCursor: string | null }> {
  // Repeated, a filter means or: both together are all.
  const wanted = {
    ...filters,
    managed: onlyOne(managed),
    state: onlyOne(state) ?? (state && 'all'),
  }
  const after = cursor === undefined ? undefined : keyOf(cursor)
  return store.tenant(organizationId, async (tenant) => {
    // A foreign id is not found, rather than a thing without resources.
    for (const id of filters.accountId ?? []) await cloudAccounts(tenant).get(id)
    for (const id of filters.workspaceId ?? []) await workspaces(tenant).get(id)
    const page = await cloudResources(tenant).list(wanted, { limit, after, withTags })
    const last = page.hasMore ? page.resources.at(-1) : undefined
    const nextCursor = last ? `${last.key.replaceAll('-', '')}-${last.accountId}` : null
    return { resources: await presentResources(tenant, page.resources), nextCursor }
  })
}

const onlyOne = <T>(asked: readonly T[] | undefined): T | undefined =>
  new Set(asked).size === 1 ? asked?.[0] : undefined

/** A cursor is the last key of a page, so no resource is skipped or repeated while others come and go. */
function keyOf(cursor: string): ResourceKey {
  const [hash = '', accountId] = cursor.split('-')
  return { hash, accountId: Math.min(Number(accountId), maxKey) }
}
