import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * What people say of a run, before its decision and after. A comment is neither changed nor removed, since
 * others decided with it before their eyes (docs/decisions/0211-comments-of-runs.md).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table run_comments (
      id integer generated always as identity primary key,
      organization_id integer not null references organizations,
      -- The run, as in approvals: of a workspace, or of an application.
      workspace_run_id integer,
      pipeline_run_id integer,
      user_id integer not null,
      text text not null check (length(text) between 1 and 4000),
      created_at timestamptz not null default now(),
      unique (organization_id, id),
      constraint run_comments_run_check check (num_nonnulls(workspace_run_id, pipeline_run_id) = 1),
      foreign key (organization_id, workspace_run_id) references workspace_runs (organization_id, id)
        on delete cascade,
      foreign key (organization_id, pipeline_run_id)
        references application_runs (organization_id, pipeline_run_id) on delete cascade,
      foreign key (organization_id, user_id) references users (organization_id, id)
    );
    create index run_comments_run on run_comments (organization_id, workspace_run_id, id);
    create index run_comments_application_run on run_comments (organization_id, pipeline_run_id, id);
    create index run_comments_user on run_comments (organization_id, user_id);
  `)
  await protectTable(knex, 'run_comments', { grants: 'select, insert' })
}
