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
/** `hasMore`: more match behind the last one, also where the page has fewer than its limit. */
export type ResourcePage = { resources: ListedResource[]; hasMore: boolean }
type PageBounds = {
  limit: number
  after?: ResourceKey | undefined
  /** False: their tags are not read, and stay empty. */
  withTags?: boolean | undefined
}

type ResourceCount = { value: string; count: number }
export type ResourceCounts = {
  total: number
  byProvider: ResourceCount[]
  /** The 1,000 with the most resources; the rest is in `total` alone, since a row for it would look like a service. */
  byService: ResourceCount[]
  /** Likewise. */
  byRegion: ResourceCount[]
  managed: number
  unmanaged: number
}

/** The resources of one organization's cloud accounts. */
export function cloudResources(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async get(id: number): Promise<CloudResource> {
      const query = db.raw(`${selectResources('r.tags')} and r.id = ?`, [organizationId, id])
      const [row] = await askNamed<ListedResource>(db, 'resource-by-id', query)
      if (!row) throw notFound()
      const { key: _, ...resource } = row
      return resource
    },

    /**
     * A page behind this key, in the order of a hash of the cloud's id: any filter then matches evenly
     * over the whole list (docs/decisions/0132). It ends before the resource with which it would have more than
     * `pageBytes`, but has at least one: an account's own endpoint can send tags of 64 KiB for each resource.
     */
    async list(filters: ResourceFilters, bounds: PageBounds): Promise<ResourcePage> {
      const [seen] = await Promise.all([
        withoutForgotten(tenant, filters),
        limitStatements(tenant, maxSearchMs),
      ])
      if (seen.accountId?.length === 0) return { resources: [], hasMore: false }
      try {
        return await findPage(tenant, seen, bounds)
      } catch (error) {
        if (!isStatementTimeout(error)) throw error
        throw invalid(
          'The search took too long. Narrow it, by an account, a service or a longer text.',
          undefined,
          'search_too_broad',
        )
      }
    },

    /** How many are present, by each of these, the most first. An account or a bill can name any number of them. */
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
  { limit, after = firstKey, withTags = true }: PageBounds,
): Promise<ResourcePage> {
  const { db, organizationId } = unwrap(tenant)
  const [name, select] = withTags
    ? ['found-resources', selectFound]
    : ['found-resources-without-tags', selectFoundWithoutTags]
  const wanted = JSON.stringify(conditions(filters))
  const values = [organizationId, wanted, after.hash, after.accountId, limit + 1, limit]
  const rows = await askNamed<ListedResource & { found: number }>(db, name, db.raw(select, values))
  const hasMore = rows.length < (rows[0]?.found ?? 0)
  return { resources: rows.map(({ found: _, ...resource }) => resource), hasMore }
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
    ...(tag && { tag, pair: readingsOf(tag) }),
    ...(q && { q, pattern: q.map(contains) }),
    ...(state !== 'all' && { state: [state] }),
  }
}

/** Each of them is the whole tag again, so tags of `=` alone would make a statement of megabytes. */
const maxReadings = 64
const maxReadingsOfOne = 16

/** The readings of all tags; past the limit it throws 400. */
function readingsOf(tags: readonly string[]): Array<Record<string, string>> {
  const pairs = tags.flatMap(pairsOf)
  if (pairs.length <= maxReadings) return pairs
  throw invalid('The tags have too many =, since each of them may end a key. Ask for fewer tags.', [
    {
      path: 'tag',
      message: `has more than ${maxReadings} = in all, of each tag up to ${maxReadingsOfOne}`,
    },
  ])
}

/** The readings of `key=value`, up to the limit: a key of a cloud may contain `=` too. */
function pairsOf(tag: string): Array<Record<string, string>> {
  const pairs = []
  for (let at = tag.indexOf('='); at >= 0; at = tag.indexOf('=', at + 1)) {
    if (pairs.length === maxReadingsOfOne) break
    pairs.push({ [tag.slice(0, at)]: tag.slice(at + 1) })
  }
  return pairs
}

/**
 * Of the tags, as JSON, the names and the ids of a page's resources: 200 ordinary ones have 100 KiB. As tags without
 * values, which cost most, they take the API 25 ms.
 */
const pageBytes = 262_144

const selectResources = (tags: string) => `
  select r.id, r.cloud_key as key, r.cloud_account_id as "accountId", r.provider, r.cloud_id as "cloudId", r.service, r.type,
    r.name, r.region, ${tags} as tags, r.state, r.first_seen_at as "firstSeenAt",
    -- A look writes what it finds before it ends, and may never end: until then the place was looked at before it.
    greatest(coalesce(r.last_seen_at, p.looked_at), r.first_seen_at, r.listed_from) as "lastSeenAt",
    r.place_id is not null as "isListed"
  from cloud_resources r
    left join cloud_places p on p.organization_id = r.organization_id and p.id = r.place_id
    left join cloud_accounts a on a.organization_id = r.organization_id and a.id = r.cloud_account_id
  where r.organization_id = ? and (r.cloud_account_id = 0 or not a.forgetting)`

/** The ids by a subselect, as `askNamed` says; only the rows of one page are measured. */
const selectPage = (tags: string) => `
  with page as materialized (${selectResources(tags)}
    and r.id = any(array(select cloud_resources_found(?::jsonb, ?::uuid, ?::integer, ?::integer)))),
  summed as (
    select page.*, count(*) over ()::integer as found, row_number() over ordered as place,
      sum(octet_length(concat(tags, name, "cloudId"))) over ordered as bytes_so_far
    from page window ordered as (order by key, "accountId"))
  select id, key, "accountId", provider, "cloudId", service, type, name, region, tags, state, "firstSeenAt", "lastSeenAt",
    "isListed", found
  from summed where place = 1 or (place <= ?::integer and bytes_so_far <= ${pageBytes}) order by place`
const selectFound = selectPage('r.tags')
const selectFoundWithoutTags = selectPage(`'{}'::jsonb`)

const notForgotten = `cloud_account_id <> all(array(
  select id from cloud_accounts where organization_id = :organizationId and forgetting))`

const maxCounts = 1_000
const countBy = `
  with counted as materialized (
    select case when grouping(provider) = 0 then 'provider' when grouping(service) = 0 then 'service'
        else 'region' end as by,
      coalesce(provider, service, region) as value, count(*)::integer as count
    from cloud_resources where organization_id = :organizationId and state = 'present' and ${notForgotten}
    group by grouping sets (provider, service, region))
  select k.by, c.value, c.count from (values ('provider'), ('service'), ('region')) as k (by)
    cross join lateral (select value, count from counted where counted.by = k.by
      order by count desc, value limit ${maxCounts}) c
  order by c.count desc, c.value`

const countManaged = `
  select (select count(*) from cloud_resources r where organization_id = :organizationId and state = 'present'
    and ${notForgotten}
    -- By the key alone, so that no row is read.
    and r.cloud_key in (select w.cloud_key from workspace_resources w
      where w.organization_id = :organizationId and w.held_to is null))::integer
  -- Those that are held by another id alone.
  + (select count(distinct r.id) from cloud_resources_otherwise_held(null) o
      join cloud_resources r on r.organization_id = :organizationId and r.id = o.resource_id and r.state = 'present'
    where ${notForgotten} and not exists (select from workspace_resources w
      where w.organization_id = :organizationId and w.cloud_key = r.cloud_key and w.held_to is null))::integer as managed`
