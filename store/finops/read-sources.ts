import { unwrap, type Tenant } from '../driver/tenant.ts'

export type ReadSource = {
  id: number
  accountId: number | null
  source: string | null
  name: string
  completeThrough: string | null
  ingestedAt: Date | null
  createdAt: Date
}

/** The sources of one organization with how far their cost goes. */
export async function readSources(
  tenant: Tenant,
  limit: number,
  after: number,
): Promise<ReadSource[]> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(sources, { organizationId, limit, after })
  return rows
}

const sources = `
  select s.id, s.cloud_account_id as "accountId", s.name as source, coalesce(s.name, a.name, '') as name,
    l."completeThrough", l."ingestedAt", s.created_at as "createdAt"
  from billing_sources s
    left join cloud_accounts a on a.organization_id = s.organization_id and a.id = s.cloud_account_id
    cross join lateral (select max(complete_through) as "completeThrough", max(loaded_at) as "ingestedAt"
      from billing_slices where organization_id = s.organization_id and source_id = s.id and is_current) l
  where s.organization_id = :organizationId and s.removed_at is null and s.id > :after
  order by s.id limit :limit`
