/** SQL: a row of `workspace_runs`, the currency to convert to, and a day of the month whose rate counts. */
type In = { run: string; currency: string; day: string }

/**
 * SQL: what a run's plan said of the monthly cost, in the currency of a bill. A plan is priced in the organization's
 * currency of then; between the two the rate of the month counts, as for the bill itself. Null without a rate.
 */
export const predictedDelta = ({ run, currency, day }: In): string => `(
  select case when p.currency = ${currency} then p.delta
    else (select case when x.base = ${currency} then p.delta / x.rate else p.delta * x.rate end
      from exchange_rates x where x.organization_id = ${run}.organization_id
        and x.month = date_trunc('month', ${day})::date and x.rate > 0
        and (x.base = ${currency} and x.quote = p.currency or x.base = p.currency and x.quote = ${currency})
      order by x.base = ${currency} desc limit 1) end::float8
  from (select (${run}.cost ->> 'delta')::numeric as delta, ${run}.cost ->> 'currency' as currency) p)`
