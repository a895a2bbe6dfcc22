import type { Store } from '../../store/driver/connect.ts'
import { unwrap } from '../../store/driver/tenant.ts'

/**
 * As many workspaces as a large organization has, by SQL: every fifth is a production one, every
 * tenth has no run, and of the others every seventh has failed. The organization needs a configuration.
 */
export async function seedWorkspaces(
  store: Store,
  organizationId: number,
  { authorId, count }: { authorId: number; count: number },
): Promise<void> {
  await store.tenant(organizationId, async (tenant) => {
    const { db } = unwrap(tenant)
    const values = { org: organizationId, author: authorId, count }
    for (const statement of statements) await db.raw(statement, values)
  })
}

const statements = [
  `insert into workspaces (organization_id, name, criticality)
     select :org, 'team-' || n % 40 || '-service-' || lpad(n::text, 5, '0'),
       case when n % 5 = 0 then 'production' else 'standard' end
     from generate_series(1, :count) n`,
  `insert into pipelines (organization_id, name, kind, managed, target_workspace_id)
     select :org, 'provision-' || name, 'infrastructure', true, id from workspaces
     where organization_id = :org and name like 'team-%'`,
  `insert into workspace_runs (organization_id, workspace_id, kind, phase, reason,
       configuration_version_id, origin, author_user_id, summary, created_at, ended_at)
     select :org, id, 'apply', case when id % 7 = 0 then 'failed' else 'succeeded' end,
       case when id % 7 = 0 then 'apply_errored' end,
       (select max(id) from configuration_versions where organization_id = :org), 'person', :author,
       json_build_object('add', id % 9, 'change', id % 4, 'destroy', id % 3),
       now() - (newest - id) * interval '7 minutes', now() - (newest - id) * interval '7 minutes'
     from workspaces, (select max(id) as newest from workspaces) last
     where organization_id = :org and name like 'team-%' and id % 10 <> 0 order by id`,
  `insert into pipeline_runs (id, organization_id, pipeline_id, number, workspace_run_id)
     select r.id, :org, p.id, 1, r.id from workspace_runs r
       join pipelines p on p.organization_id = :org and p.target_workspace_id = r.workspace_id and p.managed
     where r.organization_id = :org and p.last_number = 0`,
  `update pipelines p set last_number = 1, last_workspace_run_id = r.id from pipeline_runs r
     where p.organization_id = :org and r.organization_id = :org and r.pipeline_id = p.id
       and p.last_number = 0`,
]
