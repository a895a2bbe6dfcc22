import type { CloudProvider } from '../../domain/clouds/cloud-account.ts'
import { invalid, notFound } from '../../domain/errors.ts'
import { contains } from '../contains.ts'
import { askNamed } from '../driver/ask-prepared.ts'
import { isStatementTimeout } from '../driver/connect.ts'
import { limitStatements } from '../driver/limit-statements.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Values of one filter mean `or`; an absent filter lets all through. */
export type ResourceFilters = {
  provider?: readonly string[] | undefined
  accountId?: readonly number[] | undefined
  service?: readonly string[] | undefined
  type?: readonly string[] | undefined
  region?: readonly string[] | undefined
  /** `key` or `key=value`. */
  tag?: readonly string[] | undefined
  /** Any part of the name or of the cloud's id, ignoring case. */
  q?: readonly string[] | undefined
  state?: 'present' | 'gone' | 'all' | undefined
  workspaceId?: readonly number[] | undefined
  /** Whether a workspace holds it. */
  managed?: boolean | undefined
}

export type CloudResource = {
  id: number
  /** 0: of a bill that was uploaded, whose account is not known. */
  accountId: number
  provider: CloudProvider
  cloudId: string
  service: string
  type: string
  name: string
  region: string
  tags: Record<string, string>
  state: 'present' | 'gone'
  firstSeenAt: Date
  lastSeenAt: Date
  /** Whether a sync found it; otherwise only bills know it. */
  isListed: boolean
}

/** Where a resource is in the list. */
export type ResourceKey = { hash: string; accountId: number }
export type ListedResource = CloudResource & { key: string }

type ResourceCount = { value: string; count: number }
export type ResourceCounts = {
  total: number
  byProvider: ResourceCount[]
  byService: ResourceCount[]
  byRegion: ResourceCount[]
  managed: number
  unmanaged: number
}

/** The resources of one organization's cloud accounts. */
export function cloudResources(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async get(id: number): Promise<CloudResource> {
      const query = db.raw(`${selectResources} and r.id = ?`, [organizationId, id])
      const [row] = await askNamed<ListedResource>(db, 'resource-by-id', query)
      if (!row) throw notFound()
      const { key: _, ...resource } = row
      return resource
    },

    /**
     * A page behind this key, in the order of a hash of the cloud's id: any filter then matches evenly
     * over the whole list (docs/decisions/0132).
     */
    async list(
      filters: ResourceFilters,
      limit: number,
      after: ResourceKey = firstKey,
    ): Promise<ListedResource[]> {
      const [seen] = await Promise.all([
        withoutForgotten(tenant, filters),
        limitStatements(tenant, maxSearchMs),
      ])
      if (seen.accountId?.length === 0) return []
      try {
        return await findPage(tenant, seen, { limit, after })
      } catch (error) {
        if (!isStatementTimeout(error)) throw error
        throw invalid(
          'The search took too long. Narrow it, by an account, a service or a longer text.',
          undefined,
          'search_too_broad',
        )
      }
    },

    /** How many are present, by each of these, the most first. */
    async counts(): Promise<ResourceCounts> {
      const { rows } = await db.raw(countBy, { organizationId })
      const by = (name: string): ResourceCount[] =>
        rows
          .filter((row: { by: string }) => row.by === name)
          .map(({ value, count }: ResourceCount) => ({ value, count }))
      const byProvider = by('provider')
      const total = byProvider.reduce((sum, { count }) => sum + count, 0)
      const { rows: held } = await db.raw(countManaged, { organizationId })
      const { managed }: { managed: number } = held[0]
      const [byService, byRegion] = [by('service'), by('region')]
      return { total, byProvider, byService, byRegion, managed, unmanaged: total - managed }
    },
  }
}

async function findPage(
  tenant: Tenant,
  filters: ResourceFilters,
  { limit, after }: { limit: number; after: ResourceKey },
): Promise<ListedResource[]> {
  const { db, organizationId } = unwrap(tenant)
  const wanted = JSON.stringify(conditions(filters))
  const values = [organizationId, wanted, after.hash, after.accountId, limit]
  return askNamed<ListedResource>(db, 'found-resources', db.raw(selectFound, values))
}

/** An account that was disconnected has no resources, although they are deleted later (forget-resources.ts). */
async function withoutForgotten(
  tenant: Tenant,
  filters: ResourceFilters,
): Promise<ResourceFilters> {
  const { db, organizationId } = unwrap(tenant)
  const accounts = db('cloud_accounts').where({ organizationId })
  const forgotten: number[] = await accounts.clone().where({ forgetting: true }).pluck('id')
  if (forgotten.length === 0) return filters
  const wanted: readonly number[] = filters.accountId ?? [
    0,
    ...(await accounts.clone().pluck('id')),
  ]
  return { ...filters, accountId: wanted.filter((id) => !forgotten.includes(id)) }
}

const firstKey: ResourceKey = { hash: '00000000-0000-0000-0000-000000000000', accountId: 0 }

/** Far above what a search takes; the database's other work goes on. */
const maxSearchMs = 5_000

/** As cloud_resources_found takes them. */
function conditions(wanted: ResourceFilters) {
  const { accountId, workspaceId, tag, q, state = 'present', ...filters } = wanted
  return {
    ...filters,
    ...(workspaceId && { workspace: workspaceId.map(String) }),
    ...(accountId && { cloud_account_id: accountId.map(String) }),
    ...(tag && { tag, pair: tag.flatMap(pairsOf) }),
    ...(q && { q, pattern: q.map(contains) }),
    ...(state !== 'all' && { state: [state] }),
  }
}

/** Every reading of `key=value`: a key of a cloud may contain `=` too. */
function pairsOf(tag: string): Array<Record<string, string>> {
  const pairs = []
  for (let at = tag.indexOf('='); at >= 0; at = tag.indexOf('=', at + 1))
    pairs.push({ [tag.slice(0, at)]: tag.slice(at + 1) })
  return pairs
}

const selectResources = `
  select r.id, r.cloud_key as key, r.cloud_account_id as "accountId", r.provider, r.cloud_id as "cloudId", r.service, r.type,
    r.name, r.region, r.tags, r.state, r.first_seen_at as "firstSeenAt",
    coalesce(r.last_seen_at, p.looked_at, r.first_seen_at) as "lastSeenAt", r.place_id is not null as "isListed"
  from cloud_resources r
    left join cloud_places p on p.organization_id = r.organization_id and p.id = r.place_id
    left join cloud_accounts a on a.organization_id = r.organization_id and a.id = r.cloud_account_id
  where r.organization_id = ? and (r.cloud_account_id = 0 or not a.forgetting)`

/** The ids by a subselect, as `askNamed` says. */
const selectFound = `${selectResources}
    and r.id = any(array(select cloud_resources_found(?::jsonb, ?::uuid, ?::integer, ?::integer)))
  order by r.cloud_key, r.cloud_account_id`

const notForgotten = `cloud_account_id <> all(array(
  select id from cloud_accounts where organization_id = :organizationId and forgetting))`

const countBy = `
  select case when grouping(provider) = 0 then 'provider' when grouping(service) = 0 then 'service'
      else 'region' end as by,
    coalesce(provider, service, region) as value, count(*)::integer as count
  from cloud_resources where organization_id = :organizationId and state = 'present' and ${notForgotten}
  group by grouping sets (provider, service, region) order by count desc, value`

const countManaged = `
  select count(*)::integer as managed from cloud_resources r where organization_id = :organizationId and state = 'present'
    and ${notForgotten}
    -- By the key alone, so that no row is read.
    and r.cloud_key in (select w.cloud_key from workspace_resources w
      where w.organization_id = :organizationId and w.held_to is null)`
