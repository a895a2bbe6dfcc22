import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Who gave a person their place, address or role, so that nobody makes the approver of their own run. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table person_makers (
      organization_id integer not null,
      user_id integer not null,
      made_by integer not null,
      what text not null check (what in ('invited', 'readdressed', 'reactivated', 'promoted')),
      -- Of the newest change: an older one of the same two people adds nothing.
      at timestamptz not null default clock_timestamp(),
      primary key (organization_id, user_id, made_by),
      foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade,
      foreign key (organization_id, made_by) references users (organization_id, id) on delete cascade
    );
    create index person_makers_made_by on person_makers (organization_id, made_by);

    -- Null: was invited or provisioned and never came in.
    alter table users add column first_signed_in_at timestamptz;
    update users u set first_signed_in_at = now() where u.password_hash is not null
      or exists (select from sessions s where s.organization_id = u.organization_id and s.user_id = u.id)
      or exists (select from role_grants g where g.organization_id = u.organization_id
        and g.user_id = u.id and g.source = 'saml');

    -- Everybody who had a hand in the configuration of the identity provider that opened it; null: a password did.
    alter table saml_configurations add column saved_by integer[] not null default '{}';
    update saml_configurations set saved_by = array[edited_by] where edited_by is not null;
    alter table sessions add column idp_saved_by integer[];
    update sessions s set idp_saved_by = c.saved_by from saml_configurations c
      where c.organization_id = s.organization_id and s.kind = 'saml';
    alter table tokens add column idp_saved_by integer[];
    alter table approvals add column idp_saved_by integer[];

    alter table group_mappings add column mapped_by integer;
    alter table group_mappings add foreign key (organization_id, mapped_by)
      references users (organization_id, id) on delete set null (mapped_by);
    create index group_mappings_mapped_by on group_mappings (organization_id, mapped_by);
  `)
  await protectTable(knex, 'person_makers')
}
