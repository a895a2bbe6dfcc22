import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** A plan's files in pieces, so that neither writing nor reading one holds the whole of it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table plan_parts (
      organization_id integer not null,
      workspace_run_id integer not null,
      -- Which try of the run wrote it: a try that was lost leaves pieces that no plan names.
      attempt text not null,
      part text not null check (part in ('plan_file', 'lock_file', 'modules', 'plan_json')),
      seq integer not null,
      body bytea not null,
      primary key (workspace_run_id, attempt, part, seq),
      foreign key (organization_id, workspace_run_id) references workspace_runs (organization_id, id) on delete cascade
    );
    create index plan_parts_run on plan_parts (organization_id, workspace_run_id);
    -- Sealed, so that to compress it is time lost.
    alter table plan_parts alter column body set storage external;

    -- Plans of before are one piece a part, of no attempt: they were sealed for the columns that they stood in.
    insert into plan_parts (organization_id, workspace_run_id, attempt, part, seq, body)
      select p.organization_id, p.workspace_run_id, '', v.part, 0, v.body
      from plans p cross join lateral (values
        ('plan_file', p.plan_file), ('lock_file', p.lock_file), ('modules', p.modules), ('plan_json', p.plan_json)
      ) v (part, body) where v.body is not null;
    alter table plans
      add column attempt text not null default '',
      -- For each part how many pieces it has.
      add column pieces jsonb not null default '{}';
    update plans set pieces = jsonb_strip_nulls(jsonb_build_object(
      'plan_file', 1,
      'lock_file', case when lock_file is not null then 1 end,
      'modules', case when modules is not null then 1 end,
      'plan_json', 1));
    alter table plans
      alter column attempt drop default,
      alter column pieces drop default,
      drop column plan_file, drop column lock_file, drop column modules, drop column plan_json;
  `)
  await protectTable(knex, 'plan_parts')
}
