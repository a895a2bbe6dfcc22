import type { Knex } from 'knex'

/**
 * A host that was offline catches up when it returns, once. What it prints is bounded, so that one host
 * cannot fill the log of a run. The indexes are for the claims of idle agents and for the task that ends
 * leases: both ask every second.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deployment_hosts
      add column caught_up_at timestamptz,
      add column log_bytes integer not null default 0;
    create index deployment_hosts_behind on deployment_hosts (agent_id, pipeline_run_id)
      where state = 'unreachable' and caught_up_at is null;
    create index deployment_hosts_stopping on deployment_hosts (stop_requested_at)
      where stop_requested_at is not null and wanted is not null;
  `)
}
