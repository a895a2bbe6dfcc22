import { unwrap, type Tenant } from '../driver/tenant.ts'

type Slice = { id: number; sourceId: number; period: string }

/**
 * Makes the sums of a slice's commitments out of its charges, in place of those that it had. A charge that a
 * commitment covers is `Usage`: its effective cost is the part of the commitment that it used, or that nothing
 * used (FOCUS 1.2, CommitmentDiscountStatus). What was paid for the commitment itself is a `Purchase`, and would
 * count twice.
 */
export async function rollUpCommitments(tenant: Tenant, slice: Slice): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  const at = { organizationId, sliceId: slice.id, sourceId: slice.sourceId, period: slice.period }
  await db.raw(
    'delete from cost_commitments where organization_id = :organizationId and slice_id = :sliceId',
    at,
  )
  await db.raw(addCommitments, at)
}

/**
 * What was used is held against its price without the commitment: ContractedCost, which has the negotiated
 * discounts and no other (FOCUS 1.2), else ListCost. Some exports have 0 there for what a commitment covers. A
 * sum of the rows that have a price would be too small, so it is null as soon as one has none.
 */
const addCommitments = `
  insert into cost_commitments (organization_id, slice_id, source_id, day, provider, commitment_id, name, type,
    category, currency, used, unused, saved)
  select :organizationId, :sliceId, :sourceId, c.day, c.provider, u.id,
    max(c.commitment_discount_name), max(c.commitment_discount_type), max(c.commitment_discount_category),
    c.billing_currency,
    coalesce(sum(c.effective_cost) filter (where not u.is_unused), 0),
    coalesce(sum(c.effective_cost) filter (where u.is_unused), 0),
    case when not coalesce(bool_or(u.price is null and c.effective_cost <> 0) filter (where not u.is_unused), false)
      then coalesce(sum(u.price - c.effective_cost) filter (where not u.is_unused), 0) end
  from focus_charges c
    cross join lateral (select coalesce(lower(c.commitment_discount_status) = 'unused', false),
      coalesce(nullif(c.contracted_cost, 0), nullif(c.list_cost, 0)),
      -- Charges that were read before ids of Azure came in lower case.
      case when c.provider = 'azure' then lower(c.commitment_discount_id) else c.commitment_discount_id end
    ) u (is_unused, price, id)
  where c.organization_id = :organizationId and c.slice_id = :sliceId and c.period = :period::date
    and c.commitment_discount_id is not null and c.charge_category = 'Usage'
  group by c.day, c.provider, u.id, c.billing_currency`
