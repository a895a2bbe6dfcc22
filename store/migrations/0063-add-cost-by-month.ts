import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * Coarser sums of each slice, so that a read of a year does not add up each day of each combination. By month
 * with all dimensions, and by day with one dimension at a time (docs/decisions/0140-reads-of-cost.md).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(tables)
  for (const table of ['cost_monthly', 'cost_tag_monthly', 'cost_days'])
    await protectTable(knex, table)
  await knex.raw(fillFromDays)
}

const dimensions = `provider, service, sub_account_id, region, charge_category, owner, workspace_id, currency`
const columns = `
  organization_id integer not null,
  slice_id integer not null,
  source_id integer not null,
  -- The first day of the charges' month: a bill can have charges of the month before.
  month date not null,
  provider text not null,
  service text not null,
  sub_account_id text,
  region text,
  charge_category text not null,
  owner text not null,
  workspace_id integer,
  currency text not null`
const sums = `
  billed numeric(30,12) not null,
  effective numeric(30,12) not null,
  list numeric(30,12) not null`

const tables = `
  create table cost_monthly (${columns}, ${sums});
  create index cost_monthly_slice on cost_monthly (organization_id, slice_id);
  create table cost_tag_monthly (${columns}, key_hash integer not null, tag_key text not null,
    tag_value text not null, ${sums});
  create index cost_tag_monthly_slice on cost_tag_monthly (organization_id, slice_id, key_hash);

  create table cost_days (
    organization_id integer not null,
    slice_id integer not null,
    source_id integer not null,
    day date not null,
    -- Which of the others key is; 'all': none, and key is empty.
    dimension text not null,
    key text,
    key_hash integer not null,
    provider text not null,
    currency text not null, ${sums}
  );
  create index cost_days_slice on cost_days (organization_id, slice_id, dimension, key_hash);
  alter table cost_monthly set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
  alter table cost_tag_monthly set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
  alter table cost_days set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`

/** SQL: makes them as store/finops/roll-up-months.ts does, of all that was loaded before. */
export const fillFromDays = `
  insert into cost_monthly (organization_id, slice_id, source_id, month, ${dimensions}, billed, effective, list)
  select organization_id, slice_id, source_id, date_trunc('month', day)::date, ${dimensions},
    sum(billed), sum(effective), sum(list)
  from cost_daily group by organization_id, slice_id, source_id, date_trunc('month', day)::date, ${dimensions};
  insert into cost_tag_monthly (organization_id, slice_id, source_id, month, ${dimensions},
    key_hash, tag_key, tag_value, billed, effective, list)
  select organization_id, slice_id, source_id, date_trunc('month', day)::date, ${dimensions},
    key_hash, tag_key, tag_value, sum(billed), sum(effective), sum(list)
  from cost_tag_daily group by organization_id, slice_id, source_id, date_trunc('month', day)::date, ${dimensions},
    key_hash, tag_key, tag_value;
  insert into cost_days (organization_id, slice_id, source_id, day, provider, currency, dimension, key, key_hash,
    billed, effective, list)
  select c.organization_id, c.slice_id, c.source_id, c.day, c.provider, c.currency, d.dimension, d.key,
    coalesce(hashtext(d.key), 0), sum(c.billed), sum(c.effective), sum(c.list)
  from cost_daily c cross join lateral (values ('all', null), ('service', c.service),
    ('subAccount', c.sub_account_id), ('region', c.region), ('chargeCategory', c.charge_category),
    ('workspace', case when c.owner = 'workspace' then c.workspace_id::text else c.owner end)) d (dimension, key)
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9`
