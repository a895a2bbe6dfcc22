import type { Knex } from 'knex'
import { protectPlatformTable } from '../protect-table.ts'

/** Where API processes tell each other how many requests a session, token or address has made. Unlogged: a minute's counts are no loss. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create unlogged table request_counts (
      subject text not null,
      minute integer not null,
      count integer not null,
      primary key (subject, minute)
    );
    create index request_counts_minute on request_counts (minute);
  `)
  await protectPlatformTable(knex, 'request_counts')
}
