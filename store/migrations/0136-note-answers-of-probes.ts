import type { Knex } from 'knex'

/** What the address of a manifest's `health.probe` answered during a deployment. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deployments
      add column probe_asked_at timestamptz(3),
      add column probe_ok_at timestamptz(3),
      -- Bad answers in a row.
      add column probe_failures integer not null default 0;
  `)
}
