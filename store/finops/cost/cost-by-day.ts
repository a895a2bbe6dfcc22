import { unwrap, type Tenant } from '../../driver/tenant.ts'
import { bindingsOf, converted, withSlices, type CostRead } from './cost-rows.ts'
import { dayRows } from './day-rows.ts'
import { withinMonth } from './within-window.ts'

export type CostByDay = {
  /** Days with cost, oldest first. */
  days: Array<{ day: string; amount: number }>
  /** Decimal text, of the month of the window's end. */
  ofMonth: string
  /** Likewise up to `through`. */
  ofMonthThrough: string
  /** Likewise of the month before, up to the same day of the month as `through`. */
  ofMonthBefore: string
  /** The last day that has money without an exchange rate. */
  unratedThrough: string | null
}

/** What an organization spent on each day. `through`: a day of the month of the window's end. */
export async function costByDay(
  tenant: Tenant,
  read: CostRead,
  through: string,
): Promise<CostByDay> {
  const { db } = unwrap(tenant)
  const at = { ...bindingsOf(read), through }
  return withinMonth(tenant, async () => (await db.raw(select(read), at)).rows[0])
}

const select = ({ query }: CostRead): string => `
  with ${withSlices(query)},
  day_costs as (${dayRows(query, null)}),
  sums as (select period, currency, day, sum(amount) as amount from day_costs group by 1, 2, 3),
  priced as materialized (${converted('sums')}),
  days as (select day, sum(value) as amount from priced where value is not null group by day)
  select (select coalesce(json_agg(json_build_object('day', day, 'amount', amount) order by day), '[]') from days) as days,
    (select coalesce(sum(amount), 0)::text from days where day >= date_trunc('month', :to::date)) as "ofMonth",
    (select coalesce(sum(amount), 0)::text from days
      where day >= date_trunc('month', :to::date) and day <= :through::date) as "ofMonthThrough",
    (select coalesce(sum(amount), 0)::text from days
      where day >= date_trunc('month', :to::date) - interval '1 month'
        and day <= :through::date - interval '1 month') as "ofMonthBefore",
    (select max(day)::text from priced where value is null) as "unratedThrough"`
