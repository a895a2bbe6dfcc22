import type { PlatformDb } from '../driver/connect.ts'

export type RequestCount = { subject: string; minute: number; count: number }

/** Counts shared by the API processes (docs/decisions/0040-rate-limits.md). A crash loses one minute of them. */
export function requestCounts(db: PlatformDb) {
  return {
    /** Adds the counts of one process, and returns the sums of all. */
    async add(counts: readonly RequestCount[]): Promise<RequestCount[]> {
      const { rows } = await db.raw(
        `insert into request_counts as r (subject, minute, count)
         select * from unnest(?::text[], ?::integer[], ?::integer[]) as t(subject, minute, count)
         -- In a fixed order, so that two processes cannot deadlock.
         order by subject, minute
         on conflict (subject, minute) do update set count = r.count + excluded.count
         returning subject, minute, count`,
        [
          counts.map(({ subject }) => subject),
          counts.map(({ minute }) => minute),
          counts.map(({ count }) => count),
        ],
      )
      return rows
    },

    async forget(beforeMinute: number): Promise<void> {
      await db('request_counts').where('minute', '<', beforeMinute).delete()
    },
  }
}
