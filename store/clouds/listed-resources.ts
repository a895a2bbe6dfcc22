import { unwrap, type Tenant } from '../driver/tenant.ts'

/** The listed ids of what a workspace holds at these addresses, as far as a cloud account lists them. */
export async function listedResources(
  tenant: Tenant,
  workspaceId: number,
  addresses: readonly string[],
): Promise<Map<string, string>> {
  if (addresses.length === 0) return new Map()
  const { db, organizationId } = unwrap(tenant)
  const named = { organizationId, workspaceId, addresses: [...addresses] }
  const { rows } = await db.raw(selectListed, named)
  return new Map(
    rows.map(({ address, cloudId }: { address: string; cloudId: string }) => [address, cloudId]),
  )
}

/** The smallest, where one address has several. A state may hold it by another id than the list has. */
const selectListed = `
  with mine as materialized (
    select id, address, cloud_id, cloud_key from workspace_resources
    where organization_id = :organizationId and workspace_id = :workspaceId and held_to is null
      and address = any(:addresses::text[])),
  listed as (
    select m.address, m.cloud_id from mine m
    where exists (select from cloud_resources r
      join cloud_accounts a on a.organization_id = r.organization_id and a.id = r.cloud_account_id
      where r.organization_id = :organizationId and r.cloud_key = m.cloud_key and r.cloud_id = m.cloud_id
        and r.state = 'present' and not a.forgetting)
    union all
    select m.address, r.cloud_id from cloud_resources_otherwise_held(array[:workspaceId::integer]) o
      join mine m on m.id = o.held_id
      join cloud_resources r on r.organization_id = :organizationId and r.id = o.resource_id and r.state = 'present'
      join cloud_accounts a on a.organization_id = r.organization_id and a.id = r.cloud_account_id
    where not a.forgetting)
  select address, min(cloud_id) as "cloudId" from listed group by address`
