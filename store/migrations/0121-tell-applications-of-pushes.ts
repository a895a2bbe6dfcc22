import type { Knex } from 'knex'

/**
 * A connection of applications serves several repositories, each with a webhook of its own. A delivery
 * says of which it is, and pushes of tags count.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table pipelines
      add column webhook_state text not null default 'none'
        check (webhook_state in ('none', 'pending', 'active', 'unavailable')),
      add column webhook_reason text;

    alter table git_deliveries
      add column tags text[] not null default '{}',
      -- As the host names it; null: of the connection's own.
      add column repository text check (octet_length(repository) <= 1024);

    -- Of one connection, those that a push or a tag can start.
    create index pipelines_triggered on pipelines (organization_id, app_git_connection_id)
      where trigger_push or trigger_tags <> '{}';
  `)
}
