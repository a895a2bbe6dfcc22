import { unwrap, type Tenant } from '../driver/tenant.ts'

/** The ids of what a workspace holds at these addresses, as far as a cloud account lists them. */
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

/** The smallest, where one address has several. */
const selectListed = `
  select w.address, min(w.cloud_id) as "cloudId" from workspace_resources w
  where w.organization_id = :organizationId and w.workspace_id = :workspaceId and w.held_to is null
    and w.address = any(:addresses::text[])
    and exists (select from cloud_resources r
      join cloud_accounts a on a.organization_id = r.organization_id and a.id = r.cloud_account_id
      where r.organization_id = w.organization_id and r.cloud_key = w.cloud_key and r.cloud_id = w.cloud_id
        and r.state = 'present' and not a.forgetting)
  group by w.address`
