import type { Knex } from 'knex'

/**
 * Gives runs of `seedOrganization`, each succeeded by one person, the variety that lists filter by. Live runs
 * are the newest ones, as in use: each workspace has at most one that has its turn.
 */
export async function seedListedRuns(owner: Knex): Promise<void> {
  for (const statement of statements) await owner.raw(statement)
  for (const table of ['workspace_runs', 'stages', 'workspaces'])
    await owner.raw(`vacuum analyze ${table}`)
}

// `n` counts runs from the newest one.
const statements = [
  `update workspaces set criticality = 'production' where id % 5 = 0`,
  `create temporary table counted as
     select id, row_number() over (order by id desc) as n from workspace_runs`,
  `update workspace_runs r set
     phase = case
       when n <= 200 then 'awaiting_approval'
       when n <= 220 then 'planning'
       when n <= 400 then 'queued'
       when n % 20 = 0 then 'failed' when n % 50 = 1 then 'canceled' else 'succeeded' end,
     reason = case
       when n <= 400 then null
       when n % 400 = 0 then 'policy_denied' when n % 20 = 0 then 'apply_errored'
       when n % 50 = 1 then 'canceled_by_user' when n % 3 = 0 then 'no_changes' end,
     kind = case when n > 400 and n % 10 = 7 then 'plan' else 'apply' end,
     origin = case when n % 4 = 0 then 'push' when n % 30 = 1 then 'pull_request'
       when n = 60000 then 'drift' else 'person' end,
     author_user_id = (select min(id) from users) + (n % 100)::integer,
     start_message = case when n % 5 = 0 then 'Release 2026.' || n || ' of the shop'
       when n = 70000 then 'The needle' end,
     summary = '{"add":1,"change":2,"destroy":0}',
     approval_reasons = case when n <= 200 then '{production}'::text[] else '{}' end,
     created_at = now() - n * interval '5 minutes',
     started_at = now() - n * interval '5 minutes',
     ended_at = case when n > 400 then now() - n * interval '5 minutes' end
   from counted where counted.id = r.id`,
  `insert into stages (organization_id, workspace_run_id, name, position, state)
   select organization_id, id, name, position, 'succeeded' from workspace_runs,
     unnest(array['plan', 'approve', 'apply']) with ordinality as stage (name, position)`,
]
