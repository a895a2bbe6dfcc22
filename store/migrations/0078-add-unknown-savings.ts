import type { Knex } from 'knex'

/**
 * The savings of a commitment are against the price without it, which is ContractedCost before ListCost, and
 * are not known where a part of what was used has neither: 0 said that nothing was saved.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table cost_commitments alter column saved drop not null')
  await knex.raw(`
    delete from cost_commitments t using billing_slices s
    where s.organization_id = t.organization_id and s.id = t.slice_id and s.has_charges`)
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
    case when not coalesce(bool_or(u.price is null and c.effective_cost <> 0) filter (where not u.is_unused), false)
      then coalesce(sum(u.price - c.effective_cost) filter (where not u.is_unused), 0) end
  from focus_charges c
    join billing_slices s on s.organization_id = c.organization_id and s.id = c.slice_id and s.has_charges
    cross join lateral (select coalesce(lower(c.commitment_discount_status) = 'unused', false),
      coalesce(nullif(c.contracted_cost, 0), nullif(c.list_cost, 0))) u (is_unused, price)
  where c.commitment_discount_id is not null and c.charge_category = 'Usage'
  group by c.organization_id, c.slice_id, s.source_id, c.day, c.provider, c.commitment_discount_id,
    c.billing_currency`
