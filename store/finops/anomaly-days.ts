import type { ScoredDay } from '../../domain/finops/anomalies/scored-day.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { camelRows } from './camel-rows.ts'

/** `actual` is exact decimal text. `explained`: of a scope, what the anomalies of its services explain. */
export type StoredDay = Omit<ScoredDay, 'actual'> & {
  actual: string
  seriesId: number
  explained: number
}

const savedAtOnce = 5_000

/** The days of series as they were scored. */
export function anomalyDays(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const since = async (ids: readonly number[], from: string): Promise<StoredDay[]> =>
    camelRows((await db.raw(scoredOf, { organizationId, ids, from })).rows)

  return {
    since,

    /** The days of one series, both ends included. */
    async between(id: number, from: string, through: string): Promise<StoredDay[]> {
      return (await since([id], from)).filter(({ day }) => day <= through)
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

const scoredOf = `
  select series_id, day, actual::text as actual, expected, low, high, scale, kind, run, is_learned, drift,
    share, weekly, monthly, explained
  from anomaly_days where organization_id = :organizationId and series_id = any(:ids::integer[])
    and day >= :from order by series_id, day`

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
