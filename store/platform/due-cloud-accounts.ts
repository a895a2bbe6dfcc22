import { startPending } from '../outbox/start-pending.ts'
import { maxLiveSyncs } from '../../domain/clouds/max-live-syncs.ts'
import type { PlatformDb } from '../driver/connect.ts'

/**
 * Accounts whose next sync is due and that have none running, each organization's first before the
 * second of any, and of each organization no more than it may sync now.
 */
export async function dueCloudAccounts(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; cloudAccountId: number }>> {
  const { rows } = await db.raw(
    `with live as (
       select organization_id, count(*) as syncs from cloud_syncs where state = 'running' group by organization_id),
     due as (
       select a.organization_id, a.id, a.next_sync_at,
         row_number() over (partition by a.organization_id order by a.next_sync_at, a.id) as turn
       from cloud_accounts a join organizations o on o.id = a.organization_id and o.status = 'active'
       where a.disconnected_at is null and not a.forgetting and a.next_sync_at <= now()
         and not exists (select from cloud_syncs s where s.cloud_account_id = a.id and s.state = 'running'))
     select d.organization_id as "organizationId", d.id as "cloudAccountId"
     from due d left join live l on l.organization_id = d.organization_id
     where d.turn + coalesce(l.syncs, 0) <= ?
     order by d.turn, d.next_sync_at limit ?`,
    [maxLiveSyncs, limit],
  )
  return rows
}

/**
 * Syncs that run for so long that their workflow may be lost. One whose start waits in the outbox has no workflow yet:
 * while Temporal is away it waits for longer than this.
 */
export async function longCloudSyncs(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; syncId: number }>> {
  const { rows } = await db.raw(
    `select s.organization_id as "organizationId", s.id as "syncId" from cloud_syncs s
     where s.state = 'running' and s.started_at < now() - interval '10 minutes'
       and not ${startPending(`'org-' || s.organization_id || '/cloud-sync/' || s.id`)}
     order by s.started_at limit ?`,
    [limit],
  )
  return rows
}
