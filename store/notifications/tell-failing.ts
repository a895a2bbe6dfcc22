import { lowestRole } from '../../domain/access/roles.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

/** How long a channel fails before its managers are told. */
const failsLong = `interval '6 hours'`

/** Mails those who manage channels of one that has failed for long: once, until it works again. */
export async function tellFailing(tenant: Tenant, notificationId: number): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  const told = await db('notifications')
    .where({ organizationId, id: notificationId, enabled: true })
    .whereNull('toldAt')
    .where('failingSince', '<', db.raw(`now() - ${failsLong}`))
    .update({ toldAt: db.fn.now() })
  if (told === 0) return
  await mailManagers(tenant, 'notification_failing', notificationId)
}

/** Mails those who manage channels of one of them. */
export async function mailManagers(
  tenant: Tenant,
  kind: 'notification_failing' | 'notification_disabled',
  notificationId: number,
): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await db.raw(queueMails, {
    organizationId,
    kind,
    detail: JSON.stringify({ notificationId }),
    lowest: lowestRole.manage_cloud_accounts,
  })
}

const queueMails = `
  with queued as (
    insert into mails (organization_id, kind, user_id, detail)
    select u.organization_id, :kind, u.id, :detail::jsonb from users u
    where u.organization_id = :organizationId and u.active and u.deprovisioned_at is null and u.email is not null
      and (u.platform_admin or exists (select from role_grants g
        where g.organization_id = :organizationId and g.user_id = u.id and g.role >= :lowest))
    returning id)
  select pg_notify('cc_mail', '') from (select count(*) from queued) q`
