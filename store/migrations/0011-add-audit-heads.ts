import type { Knex } from 'knex'
import type { SealHead } from '../../domain/audit/chain-head.ts'
import { protectTable } from '../protect-table.ts'

/**
 * The end of each audit chain, under a key that the database does not have; a list of what waits
 * for its seal; and application pipelines that outlive the workspace they deploy to.
 */
export async function up(knex: Knex, sealHead?: SealHead): Promise<void> {
  await knex.raw(`
    -- A hash chain does not show that its end was cut off: this does, and whoever can write here
    -- still cannot make one. Moved together with the seals that it speaks of.
    create table audit_heads (
      organization_id integer primary key references organizations,
      sealed bytea not null
    );

    -- What waits for its seal, written with the entry itself: the sealer need look for nothing, and
    -- for no age or open transaction of anybody's, to miss nothing.
    create table audit_unsealed (
      organization_id integer not null references organizations,
      entry_id bigint not null,
      at timestamptz not null,
      primary key (organization_id, entry_id)
    );
    create function await_seal() returns trigger language plpgsql as $$
    begin
      insert into audit_unsealed (organization_id, entry_id, at) values (new.organization_id, new.id, new.at);
      return null;
    end $$;
    create trigger await_seal after insert on audit_entries for each row execute function await_seal();
    insert into audit_unsealed (organization_id, entry_id, at)
      select e.organization_id, e.id, e.at from audit_entries e
      where not exists (select from audit_seals s
        where s.organization_id = e.organization_id and s.entry_id = e.id);

    -- A month that already has rows in the partition for the rest stays there, and keeps no other month back.
    create or replace function ensure_month_partitions(parent text, months integer) returns void
      language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      month date := date_trunc('month', now())::date;
      child text;
    begin
      if parent not in ('audit_entries', 'log_lines') then
        raise exception 'not a table by month: %', parent;
      end if;
      for i in 0..months loop
        child := parent || to_char(month, '_YYYY_MM');
        if to_regclass(child) is null then
          begin
            execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
              child, parent, month, (month + interval '1 month')::date);
          exception when check_violation then null;
          end;
        end if;
        month := (month + interval '1 month')::date;
      end loop;
    end $$;

    -- An infrastructure pipeline is nothing without its workspace, and is deleted with it by name. An
    -- application only loses where it was deployed to.
    alter table pipelines
      drop constraint pipelines_organization_id_target_workspace_id_fkey,
      add foreign key (organization_id, target_workspace_id) references workspaces (organization_id, id)
        on delete set null (target_workspace_id),
      add constraint pipelines_target check (kind = 'application' or target_workspace_id is not null);
  `)
  await protectTable(knex, 'audit_heads', { grants: 'select' })
  await protectTable(knex, 'audit_unsealed', { grants: 'insert' })
  await knex.raw(`
    grant insert, update on audit_heads to cc_platform;
    grant select, delete on audit_unsealed to cc_platform;
  `)

  const { rows: ends } = await knex.raw(`
    select distinct on (organization_id) organization_id as "organizationId", position, hash, entry_id as "entryId"
    from audit_seals order by organization_id, position desc`)
  for (const { organizationId, ...head } of ends) {
    if (!sealHead) throw new Error('a store with sealed audit entries is migrated with its keyring')
    await knex('audit_heads').insert({ organizationId, sealed: sealHead(organizationId, head) })
  }
}
