import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * Sums of all current slices of a month together, and sums by day and tag, so that a read of a year of many accounts
 * does not add up each of them (docs/decisions/0157-sums-of-all-bills-of-a-month.md).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(mergedSlices)
  await protectTable(knex, 'merged_slices')
  await knex.raw(tagsByDay)
  await knex.raw(hashes)
  // name_key took its place, and nothing reads it.
  await knex.raw('alter table cost_resources drop column resource_key')
}

const mergedSlices = `
  create table merged_slices (
    -- Names sums as the id of a slice does. Below 0, so that none is the id of a bill's slice.
    id integer generated always as identity (start with -1 increment by -1 minvalue -2147483648 maxvalue -1) primary key,
    organization_id integer not null references organizations,
    period date not null,
    -- Ids and sums_version of the slices. Of other slices the sums are not those of the month any more.
    made_of text not null,
    unique (organization_id, period)
  );

  -- Raised by each change of the sums of a slice that may be the current one.
  alter table billing_slices add column sums_version integer not null default 0;
  -- The cost version up to which the months are merged.
  alter table cost_versions add column merged_version bigint not null default 0;
  create index cost_versions_unmerged on cost_versions (organization_id) where merged_version < version`

const tagsByDay = `
  -- Of the dimension 'tag', whose key is the tag's value and key_hash hashtext(tag_key).
  alter table cost_days add column tag_key text;
  insert into cost_days (organization_id, slice_id, source_id, day, provider, currency, dimension, key, key_hash,
    tag_key, billed, effective, list)
  select organization_id, slice_id, source_id, day, provider, currency, 'tag', tag_value, key_hash, tag_key,
    sum(billed), sum(effective), sum(list)
  from cost_tag_daily
  group by organization_id, slice_id, source_id, day, provider, currency, tag_value, key_hash, tag_key`

const hashes = `
  -- For filters by day of what a merged slice does not have, or has in a part of its rows. Hashes, for a text may be
  -- longer than an index takes.
  alter table cost_daily
    add column service_hash integer not null generated always as (hashtext(service)) stored,
    add column sub_account_hash integer not null generated always as (hashtext(coalesce(sub_account_id, ''))) stored;
  create index cost_daily_service on cost_daily (organization_id, slice_id, service_hash);
  create index cost_daily_sub_account on cost_daily (organization_id, slice_id, sub_account_hash)`
