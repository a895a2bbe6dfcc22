import { lowestRole } from '../../domain/access/roles.ts'
import { warnDays } from '../../domain/saml/certificate-state.ts'
import type { PlatformDb } from '../driver/connect.ts'

/**
 * Queues mails about certificates that end soon, to everybody who may change the identity provider.
 * One statement marks the certificate and queues the mails, so each is sent once, however many
 * workers run. A disabled provider is reported once it is enabled.
 */
export async function warnOfCertificates(db: PlatformDb, limit = 100): Promise<number> {
  const { rows } = await db.raw(
    `with due as (
       update saml_idp_certificates set warned_at = now()
       where (organization_id, fingerprint) in (
         select i.organization_id, i.fingerprint from saml_idp_certificates i
           join saml_configurations c on c.organization_id = i.organization_id and c.enabled
           join organizations o on o.id = i.organization_id and o.status = 'active'
         where i.warned_at is null and i.not_after < now() + make_interval(days => ?)
         order by i.not_after limit ? for update of i skip locked)
       returning organization_id, fingerprint),
     queued as (
       insert into mails (organization_id, kind, user_id, detail)
       select u.organization_id, 'certificate_expiring', u.id, jsonb_build_object('fingerprint', d.fingerprint)
       from due d join users u on u.organization_id = d.organization_id
       where u.active and u.deprovisioned_at is null and u.email is not null
         and (u.platform_admin or exists (select 1 from role_grants g
           where g.organization_id = u.organization_id and g.user_id = u.id and g.role >= ?))
       returning id)
     select (select count(*)::int from due) as warned, pg_notify('cc_mail', '') from (select count(*) from queued) q`,
    [warnDays, limit, lowestRole.manage_users_sso],
  )
  return rows[0].warned
}
