import type { Knex } from 'knex'

/** An identity provider opens nothing above the person who saved it; a removed second factor is mailed; tokens of deactivated people end. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Beside editor_role: an Owner who is no platform administrator does not vouch for one.
    -- Configurations from before count as saved by no platform administrator.
    alter table saml_configurations add column editor_platform_admin boolean not null default false;

    alter table mails drop constraint mails_kind_check;
    alter table mails add constraint mails_kind_check check (kind in
      ('invitation', 'password_reset', 'address_changed', 'approval_waiting', 'certificate_expiring',
       'second_factor_removed'));

    -- A deactivation did not end them, so they would come back with the person.
    update tokens t set revoked_at = now() from users u
    where u.organization_id = t.organization_id and u.id = t.user_id
      and t.kind = 'pat' and t.revoked_at is null
      and (not u.active or u.deprovisioned_at is not null);
  `)
}
