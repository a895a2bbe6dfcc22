import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Makes the coarser sums of a slice out of its sums by day, in place of those that it had. */
export async function rollUpMonths(tenant: Tenant, sliceId: number): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  const at = { organizationId, sliceId }
  for (const statement of statements) await db.raw(statement, at)
}

/** The planner knows nothing of rows that were just copied, and would sort them, which takes twice the time. */
export const sumSettings = `select set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
  set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('enable_sort', 'off', true)`

const dimensions = `provider, service, sub_account_id, region, charge_category, owner, workspace_id, currency`
const ofSlice = `organization_id = :organizationId and slice_id = :sliceId`
const sums = `sum(billed), sum(effective), sum(list)`

const statements = [
  ...['cost_monthly', 'cost_tag_monthly', 'cost_days'].map(
    (table) => `delete from ${table} where ${ofSlice}`,
  ),
  `insert into cost_monthly (organization_id, slice_id, source_id, month, ${dimensions}, billed, effective, list)
   select organization_id, slice_id, source_id, date_trunc('month', day)::date as month, ${dimensions}, ${sums}
   from cost_daily where ${ofSlice} group by organization_id, slice_id, source_id, month, ${dimensions}`,
  `insert into cost_tag_monthly (organization_id, slice_id, source_id, month, ${dimensions},
     key_hash, tag_key, tag_value, billed, effective, list)
   select organization_id, slice_id, source_id, date_trunc('month', day)::date as month, ${dimensions},
     key_hash, tag_key, tag_value, ${sums}
   from cost_tag_daily where ${ofSlice}
   group by organization_id, slice_id, source_id, month, ${dimensions}, key_hash, tag_key, tag_value`,
  `insert into cost_days (organization_id, slice_id, source_id, day, provider, currency, dimension, key, key_hash,
     billed, effective, list)
   with wide as materialized (
     select source_id, day, provider, currency, service, sub_account_id, region, charge_category,
       case when owner = 'workspace' then workspace_id::text else owner end as owner,
       billed, effective, list
     from cost_daily where ${ofSlice})
   select :organizationId, :sliceId, source_id, day, provider, currency,
     case when grouping(service) = 0 then 'service' when grouping(sub_account_id) = 0 then 'subAccount'
       when grouping(region) = 0 then 'region' when grouping(charge_category) = 0 then 'chargeCategory'
       when grouping(owner) = 0 then 'workspace' else 'all' end,
     coalesce(service, sub_account_id, region, charge_category, owner),
     coalesce(hashtext(coalesce(service, sub_account_id, region, charge_category, owner)), 0), ${sums}
   from wide group by source_id, day, provider, currency,
     grouping sets ((), (service), (sub_account_id), (region), (charge_category), (owner))`,
  `insert into cost_days (organization_id, slice_id, source_id, day, provider, currency, dimension, key, key_hash,
     tag_key, billed, effective, list)
   select :organizationId, :sliceId, source_id, day, provider, currency, 'tag', tag_value, key_hash, tag_key, ${sums}
   from cost_tag_daily where ${ofSlice}
   group by source_id, day, provider, currency, tag_value, key_hash, tag_key`,
]
