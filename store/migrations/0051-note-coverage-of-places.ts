import type { Knex } from 'knex'

/** A look by tags says nothing of the untagged resources that an earlier look found. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table cloud_sync_places
      add column coverage text check (coverage in ('full', 'tagged_only'));

    alter table cloud_places
      -- It was listed in full once, so that untagged resources may be in it.
      add column was_full boolean not null default false;

    update cloud_places p set was_full = true
    where exists (select from cloud_sync_places s
      join cloud_syncs y on y.organization_id = s.organization_id and y.id = s.sync_id
      where s.organization_id = p.organization_id and s.place_id = p.id and s.state = 'ok'
        and y.coverage = 'full')
  `)
}
