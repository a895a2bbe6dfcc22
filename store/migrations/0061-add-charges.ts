import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** The charges of bills by day, the sums that reads of cost use, and rates of exchange. */
export async function up(knex: Knex): Promise<void> {
  await addCharges(knex)
  await addRollups(knex)
  for (const table of tables) await protectTable(knex, table)
  // A charge is never changed. It is added by COPY alone, into the partition of its month.
  await protectTable(knex, 'focus_charges', { grants: 'select, delete' })
}

const tables = [
  'cost_daily',
  'cost_tag_daily',
  'cost_tag_keys',
  'cost_resources',
  'cost_versions',
  'cost_rebuilds',
  'exchange_rates',
]

async function addCharges(knex: Knex): Promise<void> {
  await knex.raw(charges)
  await knex.raw(ensurePartition)
}

const charges = `
    -- FOCUS at day grain (domain/finops/focus/charge-columns.ts). No foreign key to the slice: its check
    -- of each row takes longer than the row (docs/decisions/0136-slices-by-a-mark.md).
    create table focus_charges (
      -- Out of the settings of the transaction, and not of the file: nothing that a bill contains, and no
      -- error of the reader, adds a row to another organization.
      organization_id integer not null default current_setting('cc.organization_id')::integer,
      slice_id integer not null default current_setting('cc.slice_id')::integer,
      period date not null default current_setting('cc.period')::date,
      day date not null,
      digest uuid not null,
      provider text not null,
      billed_cost numeric(30,12) not null,
      effective_cost numeric(30,12) not null,
      list_cost numeric(30,12),
      contracted_cost numeric(30,12),
      pricing_quantity numeric(38,15),
      consumed_quantity numeric(38,15),
      commitment_discount_quantity numeric(38,15),
      pricing_currency_effective_cost numeric(30,12),
      charge_period_start timestamptz,
      charge_period_end timestamptz,
      list_unit_price numeric(38,15),
      contracted_unit_price numeric(38,15),
      pricing_currency_list_unit_price numeric(38,15),
      pricing_currency_contracted_unit_price numeric(38,15),
      billing_period_start date,
      billing_period_end date,
      billing_currency text not null,
      charge_category text not null,
      service_name text not null,
      provider_name text not null,
      service_provider_name text,
      host_provider_name text,
      publisher_name text,
      invoice_issuer_name text,
      invoice_id text,
      billing_account_id text,
      billing_account_name text,
      billing_account_type text,
      sub_account_id text,
      sub_account_name text,
      sub_account_type text,
      charge_class text,
      charge_description text,
      charge_frequency text,
      service_category text,
      service_subcategory text,
      region_id text,
      region_name text,
      availability_zone text,
      resource_id text,
      resource_name text,
      resource_type text,
      sku_id text,
      sku_meter text,
      sku_price_id text,
      sku_price_details text,
      pricing_category text,
      pricing_unit text,
      pricing_currency text,
      consumed_unit text,
      commitment_discount_id text,
      commitment_discount_name text,
      commitment_discount_category text,
      commitment_discount_type text,
      commitment_discount_status text,
      commitment_discount_unit text,
      capacity_reservation_id text,
      capacity_reservation_status text,
      tags jsonb,
      extra jsonb
    ) partition by range (period);
    create index focus_charges_slice on focus_charges (organization_id, slice_id, day)`

const ensurePartition = `
  -- Makes the partition of a month. COPY is refused on a table with row-level security, so the partition
  -- has none; in its place, the application may only insert there, and no organization of its choice.
  -- ATTACH waits for no reader and keeps none waiting, unlike CREATE TABLE ... PARTITION OF.
  create function ensure_charge_partition(month date) returns text
    language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    child constant text := 'focus_charges' || to_char(month, '_YYYY_MM');
    given text;
  begin
    if extract(day from month) <> 1 or month < '2000-01-01' or month > now() + interval '2 years' then
      raise exception 'not a month of bills: %', month using errcode = 'check_violation';
    end if;
    if to_regclass(child) is not null then return child; end if;
    -- Of two callers the second one finds the partition of the first.
    perform pg_advisory_xact_lock(726199461);
    if to_regclass(child) is not null then return child; end if;
    execute format('create table %I (like focus_charges including defaults, check (period = %L and period is not null))',
      child, month);
    select string_agg(quote_ident(attname), ', ') into given from pg_attribute
      where attrelid = 'focus_charges'::regclass and attnum > 0 and not attisdropped
        and attname not in ('organization_id', 'slice_id', 'period');
    execute format('grant insert (%s) on %I to cc_app', given, child);
    execute format('alter table focus_charges attach partition %I for values from (%L) to (%L)',
      child, month, (month + interval '1 month')::date);
    return child;
  end $$;
  revoke all on function ensure_charge_partition from public;
  grant execute on function ensure_charge_partition to cc_app`

async function addRollups(knex: Knex): Promise<void> {
  await knex.raw(sums)
  await knex.raw(resourcesAndRates)
}

const sums = `
    create table cost_daily (
      organization_id integer not null,
      slice_id integer not null,
      source_id integer not null,
      day date not null,
      provider text not null,
      service text not null,
      sub_account_id text,
      region text,
      charge_category text not null,
      charge_class text,
      -- Whose the resource was on that day. A workspace that is gone owns nothing: such a row is unmanaged.
      owner text not null check (owner in ('workspace', 'unmanaged', 'none')),
      workspace_id integer,
      currency text not null,
      billed numeric(30,12) not null,
      effective numeric(30,12) not null,
      list numeric(30,12) not null,
      check ((owner = 'workspace') = (workspace_id is not null))
    );
    create index cost_daily_slice on cost_daily (organization_id, slice_id, day);

    -- The same for each tag. A row counts under each of its tags: never add over keys.
    create table cost_tag_daily (
      organization_id integer not null,
      slice_id integer not null,
      source_id integer not null,
      day date not null,
      provider text not null,
      service text not null,
      sub_account_id text,
      region text,
      charge_category text not null,
      charge_class text,
      owner text not null check (owner in ('workspace', 'unmanaged', 'none')),
      workspace_id integer,
      currency text not null,
      -- hashtext(tag_key), for a key may be longer than an index takes. Compare the key too.
      key_hash integer not null,
      tag_key text not null,
      tag_value text not null,
      billed numeric(30,12) not null,
      effective numeric(30,12) not null,
      list numeric(30,12) not null,
      check ((owner = 'workspace') = (workspace_id is not null))
    );
    create index cost_tag_daily_slice on cost_tag_daily (organization_id, slice_id, key_hash, day);

    -- What each key covers, to choose the key that is on most cost.
    create table cost_tag_keys (
      organization_id integer not null,
      slice_id integer not null,
      tag_key text not null,
      currency text not null,
      billed numeric(30,12) not null,
      effective numeric(30,12) not null,
      list numeric(30,12) not null
    );
    create index cost_tag_keys_slice on cost_tag_keys (organization_id, slice_id)`

const resourcesAndRates = `
  -- The resources of a slice, for those that a change of owners touches, and their cost in it.
  create table cost_resources (
    organization_id integer not null,
    slice_id integer not null,
    -- md5 of the id, which may be longer than an index takes.
    resource_key uuid not null,
    resource_id text not null,
    provider text not null,
    service text not null,
    sub_account_id text,
    region text,
    name text,
    type text,
    currency text not null,
    first_day date not null,
    last_day date not null,
    billed numeric(30,12) not null,
    effective numeric(30,12) not null,
    list numeric(30,12) not null
  );
  create index cost_resources_slice on cost_resources (organization_id, slice_id);
  create index cost_resources_key on cost_resources (organization_id, resource_key);

  -- Raised by each change of what a read of cost answers.
  create table cost_versions (
    organization_id integer primary key references organizations,
    version bigint not null default 1,
    changed_at timestamptz not null default now()
  );

  -- Workspaces whose resources changed: the days that this touches are to be summed again.
  create table cost_rebuilds (
    organization_id integer not null,
    workspace_id integer not null,
    -- What it holds changed on this day or later.
    since date not null,
    version integer not null default 1,
    noted_at timestamptz not null default now(),
    primary key (organization_id, workspace_id),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade
  );

  create table exchange_rates (
    id integer generated always as identity primary key,
    organization_id integer not null references organizations,
    month date not null check (extract(day from month) = 1),
    base text not null check (base ~ '^[A-Z]{3}$'),
    quote text not null check (quote ~ '^[A-Z]{3}$' and quote <> base),
    -- One of base is so many of quote.
    rate numeric(30,12) not null check (rate > 0),
    kind text not null check (kind in ('person', 'ecb')),
    created_by integer,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (organization_id, id),
    unique (organization_id, month, base, quote),
    foreign key (organization_id, created_by) references users (organization_id, id)
  );
  create index exchange_rates_created_by on exchange_rates (organization_id, created_by);

  -- Whole slices come and go: dead rows are to be reused before the next ones come.
  alter table cost_daily set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
  alter table cost_tag_daily set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
  alter table cost_resources set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`
