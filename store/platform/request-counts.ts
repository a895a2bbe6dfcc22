import type { PlatformDb } from '../connect.ts'

export type RequestCount = { subject: string; minute: number; count: number }

/** What the API processes have counted together (docs/decisions/0040-rate-limits.md). Lost in a crash, which costs a minute's counts. */
export function requestCounts(db: PlatformDb) {
  return {
    /** Adds what one process has counted, and says what all have. */
    async add(counts: readonly RequestCount[]): Promise<RequestCount[]> {
      const { rows } = await db.raw(
        `insert into request_counts as r (subject, minute, count)
         select * from unnest(?::text[], ?::integer[], ?::integer[]) as t(subject, minute, count)
         -- In one order, so that two processes never wait for each other in a ring.
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
