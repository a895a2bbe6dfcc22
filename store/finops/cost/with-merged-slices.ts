import type { CostFilters, CostGroup } from '../../../domain/finops/cost-query.ts'
import { whatOf } from '../merged-slices.ts'
import { ratesAndProviders, withSlices } from './cost-rows.ts'

/**
 * SQL: the same names as those of `withSlices`. `looked` has one merged slice in place of all those of a month where
 * it was made of exactly these, and all of them touch the window: then it has the same cost in fewer rows. It has
 * neither source nor sub-account.
 */
export function withMergedSlices(query: CostFilters, groupBy?: CostGroup): string {
  const { provider, accountId, source, subAccountId } = query
  if (accountId || source || subAccountId || groupBy === 'account' || groupBy === 'subAccount')
    return withSlices(query)
  return `
  slices as materialized (
    select s.id, s.sums_version, s.period, s.source_id, s.provider_names, s.first_day, s.last_day,
      coalesce(s.first_day <= :to::date and s.last_day >= :from::date, false) as is_looked
    from billing_slices s
      join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
    where s.organization_id = :organizationId and s.is_current and b.removed_at is null),
  merged as materialized (
    select m.id, n.* from (
      select period, min(first_day) as first_day, max(last_day) as last_day, ${whatOf} as made_of
      from slices group by period having bool_and(is_looked or first_day is null)) n
      join merged_slices m on m.organization_id = :organizationId and m.period = n.period
        and m.made_of = n.made_of),
  looked as materialized (
    select id, period, source_id, first_day >= :from::date and last_day <= :to::date as is_whole
    from slices where is_looked and period not in (select period from merged)
    union all select id, period, 0, first_day >= :from::date and last_day <= :to::date from merged),
  looked_slices as (select * from slices where is_looked),
  ${ratesAndProviders(provider, 'looked_slices')}`
}
