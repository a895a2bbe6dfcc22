import { unwrap, type Tenant } from '../../driver/tenant.ts'
import { isOwned, ownersIn } from '../owners-by-day.ts'
import { chargesOfResources } from './charge-rows.ts'
import { bindingsOf, converted, readSettings, withSlices, type CostRead } from './cost-rows.ts'

export type ResourceCost = { address: string; cloudId: string; amount: string }

/** Of the ids and addresses of all resources that are shown, as JSON. */
const mostBytes = 393_216

/**
 * What the resources of a workspace cost on the days on which they were its, dearest first. They end at the limit, or
 * before the one with which their ids and addresses would have more than `mostBytes`.
 */
export async function resourcesOfWorkspace(
  tenant: Tenant,
  read: CostRead,
  { workspaceId, limit }: { workspaceId: number; limit: number },
): Promise<ResourceCost[]> {
  const { db } = unwrap(tenant)
  await db.raw(readSettings)
  const { rows } = await db.raw(select(read), {
    ...bindingsOf(read),
    ownerId: workspaceId,
    limit,
    mostBytes,
  })
  return rows
}

/** Only slices that have one of its resources are read. The owner of a day is that of docs/ownership.md. */
const select = ({ query }: CostRead): string => `
  with ${withSlices(query, 'window_slices')},
  mine as materialized (
    select distinct name_key from workspace_resources
    where organization_id = :organizationId and workspace_id = :ownerId),
  billed as materialized (
    select distinct r.slice_id, r.resource_id from mine m join cost_resources r
      on r.organization_id = :organizationId and r.name_key = m.name_key
    where r.slice_id in (select id from window_slices)),
  looked as materialized (select * from window_slices where id in (select slice_id from billed)),
  ${ownersIn(`slice_id in (select slice_id from billed) and resource_id in (select resource_id from billed)`)},
  charges as materialized (
    ${chargesOfResources(query, 'and c.resource_id in (select resource_id from owners where workspace_id = :ownerId)')}),
  sums as (
    select c.period, c.currency, c.resource_id, o.address, sum(c.amount) as amount
    from charges c join owners o on ${isOwned} and o.workspace_id = :ownerId group by 1, 2, 3, 4),
  dearest as (
    select resource_id, address, sum(value)::text as amount,
      row_number() over (order by sum(value) desc, resource_id, address) as place
    from (${converted('sums')}) p where value is not null group by 1, 2 order by place limit :limit),
  summed as (
    select *, sum(octet_length(json_build_array(resource_id, address)::text)) over (order by place) as bytes_so_far
    from dearest)
  select resource_id as "cloudId", address, amount from summed where bytes_so_far <= :mostBytes order by place`
