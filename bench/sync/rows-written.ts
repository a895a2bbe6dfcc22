import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from '../start-platform.ts'

/** PostgreSQL's processes report what they wrote within 10 s. */
const reportedWithinMs = 11_000

export type Written = Record<string, number>

/** How many rows each table of the product's database had written so far. */
export async function rowsWritten({ store }: Platform): Promise<Written> {
  await sleep(reportedWithinMs)
  const { rows } = await store.platform.raw(
    `select relname as name, (n_tup_ins + n_tup_upd + n_tup_del)::integer as written from pg_stat_user_tables`,
  )
  return Object.fromEntries(
    rows.map(({ name, written }: { name: string; written: number }) => [name, written]),
  )
}

/** Tables that were written since, the most first. */
export function writtenSince(before: Written, after: Written): Array<[string, number]> {
  return Object.entries(after)
    .map(([name, rows]): [string, number] => [name, rows - (before[name] ?? 0)])
    .filter(([, rows]) => rows > 0)
    .toSorted(([, a], [, b]) => b - a)
}
