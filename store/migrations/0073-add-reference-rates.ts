import type { Knex } from 'knex'
import { protectPlatformTable } from '../protect-table.ts'

/**
 * The European Central Bank's reference rates of each month that a bill needs, fetched once for all
 * organizations (docs/decisions/0150-rates-of-the-first-banking-day.md).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table reference_months (
      month date primary key check (extract(day from month) = 1),
      -- When the bank may be asked for it next, while there are no rates.
      ask_after timestamptz not null,
      -- The banking day that the rates are of; null while there are none.
      day date
    );

    create table reference_rates (
      month date not null references reference_months,
      currency text not null check (currency ~ '^[A-Z]{3}$'),
      -- One euro is so many of it.
      rate numeric(30,12) not null check (rate > 0),
      primary key (month, currency)
    );
  `)
  for (const table of ['reference_months', 'reference_rates'])
    await protectPlatformTable(knex, table)
}
