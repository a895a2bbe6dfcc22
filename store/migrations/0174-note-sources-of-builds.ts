import type { Knex } from 'knex'

/**
 * What a run was built from: whether its artifact may be promoted was judged by what its pipeline named by then, so
 * somebody could build from a repository of their own and change the pipeline afterwards. Older runs have null. There
 * is no foreign key: of a connection that is gone the run must not count as an older one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table application_runs
      add column source_connection_id integer,
      add column source_repo text
  `)
}
