import type { Knex } from 'knex'

/**
 * Which part of a pipeline a change is of. A promotion builds nothing, so it neither settles a change of what builds
 * make nor waits for one to be settled. Of a change from before it is not known, so it is of both.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table pipeline_authorship add column part text not null default 'build'
      check (part in ('build', 'deploy'));
    alter table pipeline_authorship alter column part drop default;
    insert into pipeline_authorship (organization_id, pipeline_id, user_id, what, at, deployed_at, part)
      select organization_id, pipeline_id, user_id, what, at, deployed_at, 'deploy' from pipeline_authorship;
  `)
}
