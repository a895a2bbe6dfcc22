import type { ScoredDay } from '../../domain/finops/anomalies/scored-day.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { camelRows } from './camel-rows.ts'
import { inPages } from './in-pages.ts'

/** `actual` is exact decimal text. `explained`: of a scope, what the anomalies of its services explain. */
export type StoredDay = Omit<ScoredDay, 'actual'> & {
  actual: string
  seriesId: number
  explained: number
}

/** As JSON about 300 bytes each, which are made in one turn of the event loop. */
const savedAtOnce = 1_000

/** The days of series as they were scored. */
export function anomalyDays(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Of these series, in pages of their order. */
    since: (ids: readonly number[], from: string): AsyncGenerator<StoredDay[]> =>
      inPages<StoredDay>(tenant, scoredOf, { ids, from, through: 'infinity' }),

    /** The days of one series, both ends included. At most 1,100, the first ones. */
    async between(id: number, from: string, through: string): Promise<StoredDay[]> {
      const values = { organizationId, ids: [id], from, through, most: mostBetween }
      return camelRows((await db.raw(`${scoredOf} limit :most`, values)).rows)
    },

    /** Puts the days of a series from one on in place of those that are there. */
    async replace(seriesId: number, from: string, days: readonly StoredDay[]): Promise<void> {
      await db('anomaly_days').where({ organizationId, seriesId }).where('day', '>=', from).delete()
      for (let at = 0; at < days.length; at += savedAtOnce) {
        const some = JSON.stringify(days.slice(at, at + savedAtOnce))
        await db.raw(insertDays, { organizationId, days: some })
      }
    },
  }
}

/** An anomaly may go on for years, where each of its days is flagged anew. */
const mostBetween = 1_100

const scoredOf = `
  select series_id, day, actual::text as actual, expected, low, high, scale, kind, run, is_learned, drift,
    share, weekly, monthly, explained
  from anomaly_days where organization_id = :organizationId and series_id = any(:ids::integer[])
    and day between :from::date and :through::date order by series_id, day`

const insertDays = `
  insert into anomaly_days (organization_id, series_id, day, actual, expected, low, high, scale, kind, run,
    is_learned, drift, share, weekly, monthly, explained)
  select :organizationId, "seriesId", day, actual, expected, low, high, scale, kind, run, "isLearned", drift,
    share, weekly, monthly, explained
  from jsonb_to_recordset(:days::jsonb) as d ("seriesId" integer, day date, actual numeric,
    expected double precision, low double precision, high double precision, scale double precision,
    kind text, run integer, "isLearned" boolean, drift double precision, share double precision,
    weekly double precision, monthly double precision, explained double precision)
  on conflict (organization_id, series_id, day) do nothing`
