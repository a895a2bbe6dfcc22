import type { PlatformDb } from '../driver/connect.ts'

/** Accounts whose next sync is due and that have none running, each organization's first before the second of any. */
export async function dueCloudAccounts(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; cloudAccountId: number }>> {
  const { rows } = await db.raw(
    `select a.organization_id as "organizationId", a.id as "cloudAccountId"
     from cloud_accounts a join organizations o on o.id = a.organization_id and o.status = 'active'
     where a.disconnected_at is null and a.next_sync_at <= now()
       and not exists (select from cloud_syncs s where s.cloud_account_id = a.id and s.state = 'running')
     order by row_number() over (partition by a.organization_id order by a.next_sync_at, a.id), a.next_sync_at
     limit ?`,
    [limit],
  )
  return rows
}

/** Syncs that run for so long that their workflow may be lost. */
export async function longCloudSyncs(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; syncId: number }>> {
  const { rows } = await db.raw(
    `select organization_id as "organizationId", id as "syncId" from cloud_syncs
     where state = 'running' and started_at < now() - interval '10 minutes' order by started_at limit ?`,
    [limit],
  )
  return rows
}
