import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** What happened and what the engine must still be told. Both are written in the transaction of the change itself. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Months ahead are made by whoever calls this; it runs as its owner because the callers own nothing.
    create function ensure_month_partitions(parent text, months integer) returns void
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
          execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
            child, parent, month, (month + interval '1 month')::date);
        end if;
        month := (month + interval '1 month')::date;
      end loop;
    end $$;
    revoke all on function ensure_month_partitions from public;
    grant execute on function ensure_month_partitions to cc_platform;

    create table audit_entries (
      id bigint generated always as identity,
      organization_id integer not null references organizations,
      at timestamptz not null default clock_timestamp(),
      event text not null,
      outcome text not null check (outcome in ('success', 'denied', 'failure')),
      actor_kind text not null check (actor_kind in ('user', 'token', 'scim', 'agent', 'system')),
      actor_id integer,
      actor_label text not null,
      target_kind text,
      target_id text,
      target_label text,
      detail jsonb not null default '{}',
      ip text,
      request_id text,
      -- Lets the sealer tell the entries that no open transaction can still precede.
      transaction_id xid8 not null default pg_current_xact_id(),
      primary key (id, at)
    ) partition by range (at);
    create table audit_entries_rest partition of audit_entries default;
    create index audit_entries_newest on audit_entries (organization_id, id desc);
    create index audit_entries_event on audit_entries (organization_id, event, id desc);
    create index audit_entries_target on audit_entries (organization_id, target_kind, target_id, id);
    select ensure_month_partitions('audit_entries', 3);

    -- The hash chain over the entries, in a table of its own so that an entry is never updated.
    create table audit_seals (
      organization_id integer not null references organizations,
      position bigint not null,
      entry_id bigint not null,
      hash bytea not null,
      sealed_at timestamptz not null default now(),
      primary key (organization_id, position),
      unique (organization_id, entry_id)
    );

    -- One entry a (caller, route, minute) for denials; the rest of the minute is counted here.
    create table audit_denials (
      organization_id integer not null references organizations,
      caller text not null,
      route text not null,
      minute timestamptz not null,
      entry_id bigint,
      count integer not null default 1,
      primary key (organization_id, caller, route, minute)
    );
    create index audit_denials_entry on audit_denials (organization_id, entry_id);

    create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
    end $$;
    create trigger append_only before update or delete on audit_entries
      for each row execute function refuse_change();
    create trigger append_only_table before truncate on audit_entries
      for each statement execute function refuse_change();
    create trigger append_only before update or delete on audit_seals
      for each row execute function refuse_change();
    create trigger append_only_table before truncate on audit_seals
      for each statement execute function refuse_change();

    -- Delivered to Temporal after the commit, at least once, in order per workflow.
    create table outbox (
      id bigint generated always as identity primary key,
      organization_id integer references organizations,
      kind text not null check (kind in ('start', 'signal', 'cancel')),
      workflow_type text,
      workflow_id text not null,
      task_queue text,
      signal_name text,
      args jsonb not null default '[]',
      options jsonb not null default '{}',
      dedupe_key text not null unique,
      attempts integer not null default 0,
      created_at timestamptz not null default now(),
      available_at timestamptz not null default now(),
      done_at timestamptz,
      dead_at timestamptz,
      last_error text
    );
    create index outbox_waiting on outbox (available_at, id) where done_at is null and dead_at is null;
    create index outbox_order on outbox (workflow_id, id) where done_at is null and dead_at is null;
    create index outbox_organization on outbox (organization_id);
  `)
  await protectTable(knex, 'audit_entries', { grants: 'select, insert' })
  await protectTable(knex, 'audit_seals', { grants: 'select, insert' })
  await protectTable(knex, 'audit_denials')
  await protectTable(knex, 'outbox')
}
