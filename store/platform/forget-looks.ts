import type { PlatformDb } from '../driver/connect.ts'

/** Three months of a bill are looked at; what became of an export is kept as long. */
const keptDays = 90
/** An ingest has a row for each source of its organization. */
const maxIngests = 100

/**
 * Deletes a limited part of the looks at bills and of the ingests that are past their time. What stays however old
 * it is: the slices that readers see, of each month the look whose files the next one is held against, and of each
 * source the newest ingest that looked at it. True if there may be more.
 */
export async function forgetLooks(db: PlatformDb, limit: number): Promise<boolean> {
  const counts = [
    await db.raw(deleteSlices, { keptDays, limit }),
    await db.raw(deleteSources, { keptDays, maxIngests, limit }),
    await db.raw(deleteIngests, { keptDays, maxIngests }),
  ]
  return counts.some(({ rowCount }, at) => rowCount === (at === 2 ? maxIngests : limit))
}

// A look that found nothing new says nothing about the next one.
const deleteSlices = `
  delete from billing_slices where ctid = any(array(
    select s.ctid from billing_slices s
    where s.began_at < now() - make_interval(days => :keptDays) and not s.is_current and not s.has_charges
      and s.state in ('unchanged', 'waiting', 'refused', 'discarded', 'superseded')
      and (s.state in ('unchanged', 'waiting') or s.period is null or exists (
        select from billing_slices n where n.organization_id = s.organization_id and n.source_id = s.source_id
          and n.period = s.period and n.id > s.id and n.state not in ('unchanged', 'waiting', 'reading')))
    order by s.began_at limit :limit for update of s skip locked))`

const ofIngest = (table: string) =>
  `${table} x where x.organization_id = g.organization_id and x.ingest_id = g.id`
const past = `
  from billing_ingests g
  where g.ended_at < now() - make_interval(days => :keptDays)
    and not exists (select from ${ofIngest('billing_slices')})
    and not exists (select from ${ofIngest('billing_uploads')})
    and not exists (select from ${ofIngest('billing_ingest_sources')} and x.state <> 'skipped'
      and not exists (select from billing_ingest_sources n where n.organization_id = x.organization_id
        and n.source_id = x.source_id and n.ingest_id > x.ingest_id and n.state <> 'skipped'))`

const deleteSources = `
  with past as (select g.organization_id, g.id ${past} order by g.ended_at limit :maxIngests)
  delete from billing_ingest_sources where ctid = any(array(
    select i.ctid from billing_ingest_sources i
      join past p on p.organization_id = i.organization_id and p.id = i.ingest_id
    limit :limit for update of i skip locked))`

const deleteIngests = `
  delete from billing_ingests where ctid = any(array(
    select g.ctid ${past} and not exists (select from ${ofIngest('billing_ingest_sources')})
    order by g.ended_at limit :maxIngests for update of g skip locked))`
