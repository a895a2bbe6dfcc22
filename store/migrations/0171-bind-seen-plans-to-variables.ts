import type { Knex } from 'knex'

/**
 * With `planApproval: unseen`, a plan counts as seen for the same files, the same values of variables, and modules that
 * are part of the files. What was stored before has none of these marks, and counts as unseen.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table configuration_versions add column local_modules boolean;
    alter table workspace_runs
      add column overrides_mac bytea,
      add column variables_digest text,
      add column unseen_because text,
      -- Not valid: all rows have null, and to look at each would lock the table for longer.
      add constraint workspace_runs_unseen_because_check
        check (unseen_because in ('files', 'variables', 'modules', 'unknown_modules')) not valid;
  `)
}
