import type { Knex } from 'knex'

export type Size = { pipelines: number; runs: number; people: number; entries: number }

/** Fills the one organization of a store with plain rows, far faster than through the API. */
export async function seedOrganization(owner: Knex, size: Size): Promise<void> {
  await owner.transaction(async (trx) => {
    const { rows } = await trx.raw(
      'select o.id, u.id as "userId" from organizations o join users u on u.organization_id = o.id limit 1',
    )
    const values = { organization: rows[0].id, user: rows[0].userId, ...size }
    // What the triggers of an entry do is measured elsewhere.
    await trx.raw('alter table audit_entries disable trigger user')
    for (const statement of statements) await trx.raw(statement, values)
    await trx.raw('alter table audit_entries enable trigger user')
  })
  for (const table of [
    'users',
    'workspaces',
    'pipelines',
    'workspace_runs',
    'pipeline_runs',
    'audit_entries',
  ])
    await owner.raw(`vacuum analyze ${table}`)
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
  `insert into workspace_runs (id, organization_id, workspace_id, kind, phase, configuration_version_id, author_user_id)
   select nextval('run_ids'), :organization, w.first + i % :pipelines::integer, 'apply', 'succeeded', c.id, :user::integer
   from generate_series(0, :runs::integer - 1) i, (select min(id) as first from workspaces) w, configuration_versions c`,
  `insert into pipeline_runs (id, organization_id, pipeline_id, number, workspace_run_id)
   select r.id, r.organization_id, p.id, row_number() over (partition by p.id order by r.id), r.id
   from workspace_runs r join pipelines p on p.organization_id = r.organization_id and p.target_workspace_id = r.workspace_id`,
  `insert into audit_entries (organization_id, event, outcome, actor_kind, actor_label, target_kind, target_id)
   select :organization, 'pipeline.run_started', 'success', 'system', 'cloud-control', 'run', i::text
   from generate_series(1, :entries::integer) i`,
]
