import { lowestRole } from '../../domain/access/roles.ts'
import type { PlatformDb } from '../driver/connect.ts'

/**
 * Queues one mail when an account is no longer healthy and one when it is again, to everybody who may
 * manage accounts. One statement notes what was told and queues the mails, so each is sent once,
 * however many workers run and whoever moved the status. An account that was never healthy is not
 * reported: the person who connects it sees its status.
 */
export async function tellOfCloudAccounts(db: PlatformDb, limit: number): Promise<number> {
  const { rows } = await db.raw(
    `with due as (
       select a.id, a.organization_id, a.health_told, a.status = 'healthy' as well
       from cloud_accounts a join organizations o on o.id = a.organization_id and o.status = 'active'
       where a.disconnected_at is null and (a.status = 'healthy' and a.health_told <> 'well'
         or a.status not in ('healthy', 'pending') and a.health_told = 'well')
       order by a.id limit ? for update of a skip locked),
     told as (
       update cloud_accounts a set health_told = case when d.well then 'well' else 'unwell' end
       from due d where a.id = d.id),
     queued as (
       insert into mails (organization_id, kind, user_id, detail)
       select u.organization_id, case when d.well then 'cloud_account_well' else 'cloud_account_unwell' end, u.id,
         jsonb_build_object('cloudAccountId', d.id)
       from due d join users u on u.organization_id = d.organization_id
       where d.health_told <> 'unknown' and u.active and u.deprovisioned_at is null and u.email is not null
         and (u.platform_admin or exists (select 1 from role_grants g
           where g.organization_id = u.organization_id and g.user_id = u.id and g.role >= ?))
       returning id)
     select (select count(*)::int from due) as told, pg_notify('cc_mail', '') from (select count(*) from queued) q`,
    [limit, lowestRole.manage_cloud_accounts],
  )
  return rows[0].told
}
