import type { Knex } from 'knex'

/** Administrators are told by mail that a certificate of their identity provider ends. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table mails drop constraint mails_kind_check;
    alter table mails add constraint mails_kind_check check (kind in
      ('invitation', 'password_reset', 'address_changed', 'approval_waiting', 'certificate_expiring'));

    -- Which domain is looked up next.
    create index domain_claims_checked on domain_claims (checked_at);
  `)
}
