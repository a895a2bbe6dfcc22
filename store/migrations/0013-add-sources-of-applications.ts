import type { Knex } from 'knex'

/** An application pipeline's source is a Git connection of its own organization. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table pipelines
      add foreign key (organization_id, app_git_connection_id) references git_connections (organization_id, id)
        on delete set null (app_git_connection_id),
      add constraint pipelines_source check (
        kind = 'application' or (app_git_connection_id is null and app_repo is null));
    create index pipelines_app_git_connection on pipelines (organization_id, app_git_connection_id);
  `)
}
