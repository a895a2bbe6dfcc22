import type { Knex } from 'knex'
import { protectPlatformTable } from '../protect-table.ts'

/**
 * API and worker must use one artifact store. Each process writes a small text into its store and a row here,
 * by which the others know what they should be able to read.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table artifact_probes (
      name text primary key,
      part text not null check (part in ('api', 'worker')),
      -- Of a worker: whether it can read what each API process wrote.
      reads_others boolean not null default true,
      written_at timestamptz not null default now()
    );
  `)
  await protectPlatformTable(knex, 'artifact_probes')
}
