import type { Knex } from 'knex'

export type Size = { pipelines: number; runs: number; people: number; entries: number }

/** Fills the store's only organization with plain rows, much faster than through the API. */
export async function seedOrganization(owner: Knex, size: Size): Promise<void> {
  await owner.transaction(async (trx) => {
    const { rows } = await trx.raw(
      'select o.id, u.id as "userId" from organizations o join users u on u.organization_id = o.id limit 1',
    )
    const values = { organization: rows[0].id, user: rows[0].userId, ...size }
    // The triggers of audit entries are measured elsewhere.
    await trx.raw('alter table audit_entries disable trigger user')
    await trx.raw(`set local maintenance_work_mem = '256MB'`)
    const parts = [...(await foreignKeys(trx)), ...(await plainIndexes(trx))]
    for (const { drop } of parts) await trx.raw(drop)
    for (const statement of statements) await trx.raw(statement, values)
    // Creates the indexes and foreign keys at once, which is faster than maintaining them for a
    // million rows.
    for (const { add } of parts.toReversed()) await trx.raw(add)
    await trx.raw('alter table audit_entries enable trigger user')
  })
  for (const table of tables) await owner.raw(`vacuum analyze ${table}`)
}

const tables = [
  'users',
  'workspaces',
  'pipelines',
  'workspace_runs',
  'pipeline_runs',
  'audit_entries',
]

const largeTables = ['workspace_runs', 'pipeline_runs', 'audit_entries']

type Part = { drop: string; add: string }

/** The indexes of the large tables that support no constraint. */
async function plainIndexes(trx: Knex): Promise<Part[]> {
  // pg_get_indexdef shows a partitioned table's index with ONLY. Without it, the index is created
  // on the partitions too.
  const { rows } = await trx.raw(
    `select 'drop index ' || i.indexrelid::regclass as drop,
       replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as add
     from pg_index i
     where i.indrelid = any(?::regclass[])
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [largeTables],
  )
  return rows
}

async function foreignKeys(trx: Knex): Promise<Part[]> {
  const { rows } = await trx.raw(
    `select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as drop,
       format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) as add
     from pg_constraint c where c.contype = 'f' and c.conrelid = any(?::regclass[])`,
    [largeTables],
  )
  return rows
}

const statements = [
  `insert into users (organization_id, email, name)
   select :organization, 'person' || i || '@bench.example', 'Person ' || i from generate_series(1, :people::integer) i`,
  `insert into workspaces (organization_id, name)
   select :organization, 'ws-' || i from generate_series(1, :pipelines::integer) i`,
  `insert into pipelines (organization_id, name, kind, managed, target_workspace_id)
   select organization_id, 'provision-' || name, 'infrastructure', true, id from workspaces order by id`,
  `insert into configuration_versions (organization_id, workspace_id, number, files, files_sha256, file_names, size_bytes)
   select :organization, min(id), 1, ''::bytea, 'none', '{}', 0 from workspaces`,
  `insert into workspace_runs (id, organization_id, workspace_id, kind, phase, configuration_version_id, origin, author_user_id)
   select nextval('run_ids'), :organization, w.first + i % :pipelines::integer, 'apply', 'succeeded', c.id, 'person', :user::integer
   from generate_series(0, :runs::integer - 1) i, (select min(id) as first from workspaces) w, configuration_versions c`,
  `insert into pipeline_runs (id, organization_id, pipeline_id, number, workspace_run_id)
   select r.id, r.organization_id, p.id, row_number() over (partition by p.id order by r.id), r.id
   from workspace_runs r join pipelines p on p.organization_id = r.organization_id and p.target_workspace_id = r.workspace_id`,
  `update pipelines p set last_number = newest.number, last_workspace_run_id = newest.id
   from (select distinct on (pipeline_id) pipeline_id, number, workspace_run_id as id
     from pipeline_runs order by pipeline_id, number desc) newest
   where newest.pipeline_id = p.id`,
  `insert into audit_entries (organization_id, event, outcome, actor_kind, actor_label, target_kind, target_id)
   select :organization, 'pipeline.run_started', 'success', 'system', 'cloud-control', 'run', i::text
   from generate_series(1, :entries::integer) i`,
]
