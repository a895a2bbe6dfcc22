import type { Knex } from 'knex'

/**
 * The last good deployment of a pipeline is the one that began last, not the one whose run has the highest number: a
 * rollback that waits for its approval is deployed after a newer run. It is the first fitting entry of this index, in
 * place of the one by run, which nothing is read by any more.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index deployments_pipeline;
    create index deployments_latest on deployments (organization_id, pipeline_id, started_at desc, pipeline_run_id desc);
  `)
}
