import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * What each commitment of a slice (a reservation, a savings plan) costs by day, and how much of it was used: a
 * read of them must not look at all charges.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table cost_commitments (
      organization_id integer not null,
      slice_id integer not null,
      source_id integer not null,
      day date not null,
      provider text not null,
      commitment_id text not null,
      name text,
      type text,
      category text,
      currency text not null,
      -- Amortised cost of what was used and of what was not.
      used numeric(30,12) not null,
      unused numeric(30,12) not null,
      -- The list price of what was used, less its cost.
      saved numeric(30,12) not null
    );
    create index cost_commitments_slice on cost_commitments (organization_id, slice_id);
    alter table cost_commitments set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)
  `)
  await protectTable(knex, 'cost_commitments')
  await knex.raw(fillFromCharges)
}

/** SQL: as store/finops/roll-up-commitments.ts does, of all that was loaded before. */
export const fillFromCharges = `
  insert into cost_commitments (organization_id, slice_id, source_id, day, provider, commitment_id, name, type,
    category, currency, used, unused, saved)
  select c.organization_id, c.slice_id, s.source_id, c.day, c.provider, c.commitment_discount_id,
    max(c.commitment_discount_name), max(c.commitment_discount_type), max(c.commitment_discount_category),
    c.billing_currency,
    coalesce(sum(c.effective_cost) filter (where not u.is_unused), 0),
    coalesce(sum(c.effective_cost) filter (where u.is_unused), 0),
    coalesce(sum(c.list_cost - c.effective_cost) filter (where not u.is_unused and c.list_cost <> 0), 0)
  from focus_charges c
    join billing_slices s on s.organization_id = c.organization_id and s.id = c.slice_id and s.has_charges
    cross join lateral (select coalesce(lower(c.commitment_discount_status) = 'unused', false)) u (is_unused)
  where c.commitment_discount_id is not null and c.charge_category = 'Usage'
  group by c.organization_id, c.slice_id, s.source_id, c.day, c.provider, c.commitment_discount_id,
    c.billing_currency`
