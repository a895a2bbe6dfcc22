import type { Knex } from 'knex'

/**
 * The list of runs over all workspaces filters by author, origin, end and text, newest first. Most
 * runs are started by a person, so an index of that origin would only repeat the table. A text is
 * looked for in an index of one organization: the time of a search in an index of trigrams, which
 * knows no organization, would tell how often others use a word.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index workspace_runs_author;
    create index workspace_runs_author on workspace_runs (organization_id, author_user_id, id desc);
    create index workspace_runs_origin on workspace_runs (organization_id, origin, id desc)
      where origin <> 'person';
    create index workspace_runs_reason on workspace_runs (organization_id, reason, id desc)
      where reason is not null;
    create index workspace_runs_created on workspace_runs (organization_id, created_at, id);
    create index workspace_runs_start_message on workspace_runs (organization_id, id desc)
      include (start_message) where start_message is not null;
  `)
}
