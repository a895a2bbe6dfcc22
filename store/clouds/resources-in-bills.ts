import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** The last day with a charge of each of these ids that the current bills have. */
export async function resourcesInBills(
  tenant: Tenant,
  cloudIds: readonly string[],
): Promise<Map<string, string>> {
  if (cloudIds.length === 0) return new Map()
  const { db, organizationId } = unwrap(tenant)
  const query = db.raw(selectLastDays, { organizationId, ids: [...cloudIds] })
  type Row = { cloudId: string; lastDay: string }
  const rows = await askNamed<Row>(db, 'resources-in-bills', query)
  return new Map(rows.map(({ cloudId, lastDay }) => [cloudId, lastDay]))
}

const selectLastDays = `
  select g.cloud_id as "cloudId", max(c.last_day)::text as "lastDay"
  from (select distinct cloud_id from unnest(:ids::text[]) as i (cloud_id)) g
    join cost_resources c on c.organization_id = :organizationId and c.name_key = md5(cloud_name(g.cloud_id))::uuid
      and billed_cloud_id(c.resource_id, c.provider, c.service, c.sub_account_id, c.region) = g.cloud_id
    join billing_slices s on s.organization_id = :organizationId and s.id = c.slice_id and s.is_current
    join billing_sources b on b.organization_id = :organizationId and b.id = s.source_id and b.removed_at is null
  group by g.cloud_id`
