import type { CostBasis, CostFilters, CostQuery } from '../../../domain/finops/cost-query.ts'

const columns: Record<CostBasis, string> = {
  effective: 'c.effective_cost',
  billed: 'c.billed_cost',
  list: 'coalesce(c.list_cost, 0)',
}

/**
 * SQL: the charges of resources that the filters let through, by resource and day. `looked` and
 * `wanted_providers` are those of cost-rows.ts. It reads charges and not sums, for no sum has the resource's day.
 */
export const chargesOfResources = (query: CostQuery, and = ''): string => `
  select l.period, c.billing_currency as currency, c.day, c.resource_id, c.provider,
    c.service_name as service, c.sub_account_id, c.region_id, max(c.resource_name) as name, c.tags,
    sum(${columns[query.basis]}) as amount
  from looked l join focus_charges c
    on c.organization_id = :organizationId and c.slice_id = l.id and c.period = l.period
  where c.day between :from::date and :to::date and c.resource_id is not null ${conditions(query)} ${and}
  group by l.period, c.billing_currency, c.day, c.resource_id, c.provider, c.service_name, c.sub_account_id,
    c.region_id, c.tags`

function conditions(query: CostFilters): string {
  const { tagKey, tagValue, untagged } = query
  const asked = [
    query.provider && 'c.provider in (select provider from wanted_providers)',
    query.service && 'c.service_name = any(:service::text[])',
    query.subAccountId && `coalesce(c.sub_account_id, '') = any(:subAccountId::text[])`,
    query.region && `coalesce(c.region_id, '') = any(:region::text[])`,
    query.chargeCategory && 'c.charge_category = any(:chargeCategory::text[])',
    tagKey !== undefined && tagValue && 'c.tags ->> :tagKey::text = any(:tagValue::text[])',
    tagKey !== undefined && untagged && '(c.tags ->> :tagKey::text) is null',
  ]
  return asked.map((one) => (one ? `and ${one}` : '')).join(' ')
}
