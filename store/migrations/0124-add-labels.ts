import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * Workspaces and pipelines have labels and a description. The labels are a document of their row, which
 * lists show without a join. To filter by one, row-level security rules out an index on the document:
 * its operators are not leakproof, so each row of the organization would be read. A table of pairs has
 * text compared for equality, which is. A trigger fills it, so that no statement can forget it
 * (docs/decisions/0200-labels.md).
 */
export async function up(knex: Knex): Promise<void> {
  for (const [table, column] of [
    ['workspaces', 'workspace_id'],
    ['pipelines', 'pipeline_id'],
  ] as const) {
    const labels = `${column.replace('_id', '')}_labels`
    await knex.raw(`
      alter table ${table}
        add column labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object'),
        add column description text not null default '' check (length(description) <= 500);

      create table ${labels} (
        organization_id integer not null references organizations,
        ${column} integer not null,
        key text not null,
        value text not null,
        primary key (organization_id, key, value, ${column}),
        foreign key (organization_id, ${column}) references ${table} (organization_id, id) on delete cascade
      );
      create index ${labels}_owner on ${labels} (organization_id, ${column});

      create function keep_${labels}() returns trigger language plpgsql set search_path = public, pg_temp as $$
      begin
        if tg_op = 'UPDATE' then
          delete from ${labels} where organization_id = new.organization_id and ${column} = new.id;
        end if;
        insert into ${labels} (organization_id, ${column}, key, value)
          select new.organization_id, new.id, key, value from jsonb_each_text(new.labels);
        return null;
      end $$;
      create trigger keep_labels after insert on ${table}
        for each row when (new.labels <> '{}') execute function keep_${labels}();
      create trigger keep_changed_labels after update of labels on ${table}
        for each row when (new.labels is distinct from old.labels) execute function keep_${labels}();
    `)
    await protectTable(knex, labels)
  }
  // The list of a person's own pipelines by name. That of all has those of workspaces too.
  await knex.raw('create index pipelines_ordered on pipelines (organization_id, name, id)')
}
