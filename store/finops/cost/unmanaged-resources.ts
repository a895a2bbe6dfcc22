import { unwrap, type Tenant } from '../../driver/tenant.ts'
import { isOwned, ownersIn } from '../owners-by-day.ts'
import { chargesOfResources } from './charge-rows.ts'
import { bindingsOf, converted, readSettings, withSlices, type CostRead } from './cost-rows.ts'
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
  name: string | null
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
}

/** The cost of resources on days on which no workspace held them, dearest first. */
export async function unmanagedResources(
  tenant: Tenant,
  read: CostRead,
  { limit, after }: { limit: number; after: UnmanagedKey | undefined },
): Promise<Unmanaged> {
  const { db } = unwrap(tenant)
  await db.raw(readSettings)
  const at = { ...bindingsOf(read), limit, amount: after?.amount ?? null, key: after?.key ?? null }
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
    select * from ranked where :amount::numeric is null or amount < :amount::numeric
      or amount = :amount::numeric and key > :key::uuid
    order by amount desc, key limit :limit),
  shown as (
    select p.resource_id as "cloudId", i.id as "listedId", r.id as "resourceId",
      coalesce(r.is_listed, false) as "isListed", d.provider, d.service, d.region, d.name, d.tags,
      p.amount::text as amount, d.first_day as "firstDay", d.last_day as "lastDay", p.key
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
        order by r.place_id is null, r.id limit 1) r on true
    order by p.amount desc, p.key)
  select json_build_object('total', (select coalesce(sum(amount), 0)::text from ranked),
    'unconverted', (select coalesce(json_agg(json_build_object('currency', currency, 'amount', amount::text)
        order by currency), '[]')
      from (select currency, sum(amount) as amount from priced where value is null group by currency) u),
    'resources', (select coalesce(json_agg(to_json(s)), '[]') from shown s)) as found`
