import { unwrap, type Tenant } from '../../driver/tenant.ts'
import { isOwned, ownersIn } from '../owners-by-day.ts'
import { chargesOfResources } from './charge-rows.ts'
import {
  bindingsOf,
  converted,
  readSettings,
  unconvertedOf,
  withSlices,
  type CostRead,
} from './cost-rows.ts'
import { withinWindow } from './within-window.ts'

export type UnmanagedResource = {
  /** As the bill writes it. */
  cloudId: string
  /** As an inventory would have it. */
  listedId: string
  /** Among the resources of clouds, if it is there. */
  resourceId: number | null
  /** Whether a sync found it; otherwise only bills know it. */
  isListed: boolean
  provider: string
  service: string
  region: string | null
  /** Its first 2,000 characters. */
  name: string | null
  /** Null where they are more than 64 KiB. */
  tags: Record<string, string> | null
  /** Decimal text. */
  amount: string
  firstDay: string
  lastDay: string
  key: string
}
/** Where a resource is in the list. */
export type UnmanagedKey = { amount: string; key: string }

export type Unmanaged = {
  total: string
  unconverted: Array<{ currency: string; amount: string }>
  resources: UnmanagedResource[]
  hasMore: boolean
}

const most = {
  /** Of all resources of a page as JSON. The answer is up to twice as large, with the import blocks. */
  pageBytes: 393_216,
  /** As those that are read of a bill (gateways/duckdb/program/line-columns.ts). */
  idBytes: 2_048,
  /** As those of a resource that a sync lists (store/clouds/billed-resources.ts). */
  tagBytes: 65_536,
  nameLength: 2_000,
}

/**
 * The cost of resources on days on which no workspace held them, dearest first. A page ends before the resource with
 * which it would have more than `pageBytes`. Bills that were read before ids were bounded may have longer ones: their
 * resources are in the total alone.
 */
export async function unmanagedResources(
  tenant: Tenant,
  read: CostRead,
  { limit, after }: { limit: number; after: UnmanagedKey | undefined },
): Promise<Unmanaged> {
  const { db } = unwrap(tenant)
  await db.raw(readSettings)
  const at = {
    ...bindingsOf(read),
    ...most,
    limit,
    amount: after?.amount ?? null,
    key: after?.key ?? null,
  }
  return withinWindow(tenant, async () => (await db.raw(select(read), at)).rows[0].found)
}

const select = ({ query }: CostRead): string => `
  with ${withSlices(query)},
  charges as materialized (${chargesOfResources(query, query.workspaceId ? 'and false' : '')}),
  ${ownersIn('slice_id in (select id from looked)')},
  free as materialized (
    select c.* from charges c where not exists (select from owners o where ${isOwned})),
  sums as (
    select period, currency, resource_id, sum(amount) as amount from free group by 1, 2, 3),
  priced as materialized (${converted('sums')}),
  ranked as materialized (
    select resource_id, md5(resource_id)::uuid as key, sum(value) as amount from priced
    where value is not null group by resource_id),
  page as materialized (
    select resource_id, key, amount, row_number() over (order by amount desc, key) as place from ranked
    where octet_length(resource_id) <= :idBytes and (:amount::numeric is null or amount < :amount::numeric
      or amount = :amount::numeric and key > :key::uuid)
    order by amount desc, key limit :limit::integer + 1),
  shown as materialized (
    select p.place, json_build_object('cloudId', p.resource_id, 'listedId', i.id, 'resourceId', r.id,
      'isListed', coalesce(r.is_listed, false), 'provider', d.provider, 'service', d.service, 'region', d.region,
      'name', left(d.name, :nameLength::integer),
      'tags', case when octet_length(d.tags::text) <= :tagBytes then d.tags end,
      'amount', p.amount::text, 'firstDay', d.first_day, 'lastDay', d.last_day, 'key', p.key) as resource
    from page p cross join lateral (
        select (array_agg(f.provider order by f.day desc))[1] as provider,
          (array_agg(f.service order by f.day desc))[1] as service,
          (array_agg(f.region_id order by f.day desc))[1] as region,
          (array_agg(f.sub_account_id order by f.day desc))[1] as sub_account_id,
          (array_agg(f.name order by f.day desc))[1] as name, (array_agg(f.tags order by f.day desc))[1] as tags,
          min(f.day) as first_day, max(f.day) as last_day
        from free f where f.resource_id = p.resource_id) d
      cross join lateral (
        select billed_cloud_id(p.resource_id, d.provider, d.service, d.sub_account_id, d.region) as id) i
      left join lateral (
        select r.id, r.place_id is not null as is_listed from cloud_resources r
        where r.organization_id = :organizationId and r.cloud_key = md5(i.id)::uuid and r.cloud_id = i.id
        order by r.place_id is null, r.id limit 1) r on true),
  summed as (
    select place, resource, sum(octet_length(resource::text)) over (order by place) as bytes_so_far from shown),
  kept as materialized (
    select place, resource from summed
    where place <= :limit::integer and (place = 1 or bytes_so_far <= :pageBytes))
  select json_build_object('total', (select coalesce(sum(amount), 0)::text from ranked),
    'unconverted', (select coalesce(json_agg(json_build_object('currency', currency, 'amount', amount::text)
        order by currency), '[]')
      from (${unconvertedOf('priced')}) u),
    'resources', (select coalesce(json_agg(resource order by place), '[]') from kept),
    'hasMore', (select count(*) from page) > (select count(*) from kept)) as found`
