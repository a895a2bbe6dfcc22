import { unwrap, type Tenant } from '../driver/tenant.ts'
import { rollUpMonths, sumSettings } from './roll-up-months.ts'

/** More rows of sums by day and tag are read slice by slice: merging them would take minutes after each swap. */
const maxRows = 3_000_000

export type StaleMonths = {
  /** The version of the cost that `merged` takes. */
  version: number
  /** First days of billing months. Those with too few charges lose what was merged of them. */
  months: Array<{ period: string; isWanted: boolean }>
}

/**
 * Sums of all current slices of a month together, without source and sub-account: the sums of a slice that no bill
 * has. They say what they were made of, and a reader takes them only where that is what is current, so they may be
 * made at any time, or not at all.
 */
export function mergedSlices(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Months whose merged sums are not those of their current slices. Undefined without any cost. */
    async stale(leastCharges: number): Promise<StaleMonths | undefined> {
      const { rows } = await db.raw(selectStale, { organizationId, leastCharges })
      return rows[0]
    },

    /**
     * Whether no other transaction makes or deletes what is merged of the month. None does until this one ends. A
     * caller that is refused leaves the month to the other one: to make the same sums twice takes the time of both.
     */
    async tryLock(period: string): Promise<boolean> {
      const of = { organizationId, period, lock: mergeLock }
      const { rows } = await db.raw(tryLock, of)
      return rows[0].isLocked
    },

    /** Whether what is merged of the month is what is current. */
    async isMerged(period: string): Promise<boolean> {
      const { rows } = await db.raw(selectIsMerged, { organizationId, period })
      return rows[0].isMerged
    },

    /** Of a month with more rows than `most` nothing is merged. */
    async merge(period: string, most = maxRows): Promise<void> {
      const of = { organizationId, period }
      await db.raw(sumSettings)
      // Of two callers without the lock the second one waits here, and sees in the next statement what is current by then.
      const { rows: held } = await db.raw(hold, of)
      const at = { ...of, id: Number(held[0].id) }
      await deleteSums(tenant, at.id)
      const { rows } = await db.raw(noteWhatOf, at)
      const slices: number[] = rows[0]?.slices ?? []
      const count = await db.raw(countRows, { ...at, slices })
      if (count.rows[0].rows > most) return
      for (const statement of mergeSums) await db.raw(statement, { ...at, slices })
      await rollUpMonths(tenant, at.id)
      await db.raw(noteMade, { ...at, madeOf: rows[0]?.madeOf ?? '' })
    },

    async drop(period: string): Promise<void> {
      const { rows } = await db.raw(drop, { organizationId, period })
      for (const { id } of rows) await deleteSums(tenant, id)
    },

    /** Changes after this version are merged by the next call. */
    async merged(version: number): Promise<void> {
      await db('cost_versions').where({ organizationId }).update({ mergedVersion: version })
    },
  }
}

/** SQL, grouped by month: what a month is made of. The sums of other slices, or of changed ones, are of no use. */
export const whatOf = `string_agg(id || '.' || sums_version, ',' order by id)`

/** SQL: a month's current slices, with what `whatOf` needs. */
const current = `
  select s.id, s.sums_version, s.period, s.records
  from billing_slices s join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
  where s.organization_id = :organizationId and s.is_current and b.removed_at is null`

const selectStale = `
  with months as (
    select period, ${whatOf} as made_of, sum(records) as charges from (${current}) s group by period),
  stale as (
    select coalesce(n.period, m.period)::text as period, coalesce(n.charges >= :leastCharges, false) as "isWanted"
    from months n full join (select * from merged_slices where organization_id = :organizationId) m
      on m.period = n.period
    where case when n.charges >= :leastCharges then m.made_of is distinct from n.made_of else m.id is not null end)
  select v.version, (select coalesce(json_agg(s order by s.period), '[]') from stale s) as months
  from cost_versions v where v.organization_id = :organizationId`

/**
 * The first key of the advisory lock, arbitrary. Two months with one second key wait for each other's next pass. A
 * worker of an earlier version has another number: then both make the sums of the month, the second one after the
 * first, since `hold` locks its row.
 */
const mergeLock = 726_199_449
const tryLock = `
  select pg_try_advisory_xact_lock(:lock::integer, hashtext(:organizationId::integer || ' ' || :period::date)) as "isLocked"`

const selectIsMerged = `
  select coalesce(m.made_of = (select ${whatOf} from (${current} and s.period = :period::date) s), false) as "isMerged"
  from (values (1)) one left join merged_slices m
    on m.organization_id = :organizationId and m.period = :period::date`

const hold = `
  insert into merged_slices (organization_id, period, made_of) values (:organizationId, :period::date, '')
  on conflict (organization_id, period) do update set made_of = '' returning id`

const noteWhatOf = `
  select ${whatOf} as "madeOf", array_agg(id) as slices from (${current} and s.period = :period::date) s
  having count(*) > 0`

const noteMade = `
  update merged_slices set made_of = :madeOf where organization_id = :organizationId and id = :id`

const drop = `
  delete from merged_slices where organization_id = :organizationId and period = :period::date returning id`

const ofSlices = 'organization_id = :organizationId and slice_id = any(:slices::integer[])'

const countRows = `
  select (select count(*) from cost_daily where ${ofSlices})
    + (select count(*) from cost_tag_daily where ${ofSlices}) as rows`

async function deleteSums(tenant: Tenant, id: number): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  for (const table of tables) await db(table).where({ organizationId, sliceId: id }).delete()
}

const tables = [
  'cost_daily',
  'cost_tag_daily',
  'cost_tag_keys',
  'cost_monthly',
  'cost_tag_monthly',
  'cost_days',
]

const dimensions = 'day, provider, service, region, charge_category, owner, workspace_id, currency'
const sums = 'sum(billed), sum(effective), sum(list)'

const mergeSums = [
  `insert into cost_daily (organization_id, slice_id, source_id, ${dimensions}, billed, effective, list)
   select :organizationId, :id, 0, ${dimensions}, ${sums} from cost_daily where ${ofSlices} group by ${dimensions}`,
  `insert into cost_tag_daily (organization_id, slice_id, source_id, ${dimensions}, key_hash, tag_key, tag_value,
     billed, effective, list)
   select :organizationId, :id, 0, ${dimensions}, key_hash, tag_key, tag_value, ${sums}
   from cost_tag_daily where ${ofSlices} group by ${dimensions}, key_hash, tag_key, tag_value`,
  `insert into cost_tag_keys (organization_id, slice_id, tag_key, currency, billed, effective, list)
   select :organizationId, :id, tag_key, currency, ${sums} from cost_tag_keys where ${ofSlices}
   group by tag_key, currency`,
]
