import type { ReferenceDay } from '../../domain/finops/reference-rates.ts'
import { defaultCurrency } from '../organizations/settings.ts'
import type { PlatformDb } from '../driver/connect.ts'
import type { NewRate } from '../finops/exchange-rates.ts'

/** SQL: what current bills have to be converted with, and have no rate of. */
const missing = `
  needed as (
    select distinct s.organization_id, s.period as month, c.currency as base,
      coalesce(o.settings ->> 'currency', '${defaultCurrency}') as quote
    from billing_slices s
      join organizations o on o.id = s.organization_id and o.status = 'active'
      join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
      -- A slice of several currencies names none.
      cross join lateral (
        select s.currency where s.currency is not null
        union select m.currency from cost_monthly m
          where s.currency is null and m.organization_id = s.organization_id and m.slice_id = s.id) c
    where s.is_current and b.removed_at is null and c.currency is not null),
  missing as materialized (
    select n.* from needed n where n.base <> n.quote and not exists (
      select from exchange_rates e where e.organization_id = n.organization_id and e.month = n.month
        and e.base = n.base and e.quote = n.quote))`

/**
 * Rates that bills need and that follow from the reference rates of their month: one of base is so many of
 * quote. The rates of an organization with many come after the first of each other one.
 */
export async function derivedRates(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; rate: NewRate; day: string }>> {
  const { rows } = await db.raw(
    `with ${missing},
     -- A currency of which one is next to nothing has no rate of twelve decimals.
     derived as (
       select m.*, r.day, round(q.rate / b.rate, 12) as rate from missing m
         join reference_months r on r.month = m.month
         join reference_rates b on b.month = m.month and b.currency = m.base
         join reference_rates q on q.month = m.month and q.currency = m.quote)
     select organization_id as "organizationId", day::text as day, json_build_object('month',
         to_char(month, 'YYYY-MM'), 'base', base, 'quote', quote, 'rate', rate::text) as rate
     from derived where rate > 0
     order by row_number() over (partition by organization_id order by month desc, base), organization_id limit ?`,
    [limit],
  )
  return rows
}

/** Months of bills whose reference rates were not found yet, newest first; those asked for shortly before are left out. */
export async function unknownMonths(db: PlatformDb, limit: number): Promise<string[]> {
  const { rows } = await db.raw(
    `with ${missing}
     select to_char(month, 'YYYY-MM') as month from missing m
     where month between '1999-01-01' and now() and not exists (
       select from reference_months r where r.month = m.month
         and (r.day is not null or r.ask_after > now()))
     group by month order by month desc limit ?`,
    [limit],
  )
  return rows.map(({ month }: { month: string }) => month)
}

/** True for one of several callers: the others may ask a day later, if there are no rates by then. */
export async function claimMonth(db: PlatformDb, month: string): Promise<boolean> {
  const { rowCount } = await db.raw(
    `insert into reference_months as r (month, ask_after) values (?, now() + interval '1 day')
     on conflict (month) do update set ask_after = excluded.ask_after
     where r.day is null and r.ask_after <= now()`,
    [`${month}-01`],
  )
  return rowCount === 1
}

/** The bank did not answer, so it is asked again in an hour. */
export async function askAgainSoon(db: PlatformDb, month: string): Promise<void> {
  await db.raw(
    `update reference_months set ask_after = now() + interval '1 hour' where month = ? and day is null`,
    [`${month}-01`],
  )
}

/** Rates that were found stay as they are: a correction must not change past bills. */
export async function keepReferenceDay(
  db: PlatformDb,
  month: string,
  { day, rates }: ReferenceDay,
): Promise<void> {
  await db.transaction(async (trx) => {
    const { rowCount } = await trx.raw(
      'update reference_months set day = ? where month = ? and day is null',
      [day, `${month}-01`],
    )
    if (rowCount === 0) return
    await trx.raw(
      `insert into reference_rates (month, currency, rate)
       select ?::date, currency, rate from jsonb_to_recordset(?::jsonb) as r (currency text, rate numeric)
       union select ?::date, 'EUR', 1 on conflict do nothing`,
      [`${month}-01`, JSON.stringify(rates), `${month}-01`],
    )
  })
}
