import type { PlatformDb } from '../driver/connect.ts'

/**
 * Connected accounts whose health changed since people were last told of it. In random order, so that accounts
 * that a sync holds do not keep the others out of each page.
 */
export async function untoldAccounts(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; cloudAccountId: number }>> {
  const { rows } = await db.raw(
    `select a.organization_id as "organizationId", a.id as "cloudAccountId"
     from cloud_accounts a join organizations o on o.id = a.organization_id and o.status = 'active'
     where a.disconnected_at is null and (a.status = 'healthy' and a.health_told <> 'well'
       or a.status not in ('healthy', 'pending') and a.health_told = 'well')
     order by random() limit ?`,
    [limit],
  )
  return rows
}
