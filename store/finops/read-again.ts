import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Slices of one organization whose tags are to be read again out of the same files. */
export function readAgain(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /**
     * Locks the ingest that runs and all sources until the transaction ends, in the order of an ingest that ends and of a
     * swap: the other order could deadlock.
     */
    async holdSources(): Promise<void> {
      await db('billing_ingests')
        .where({ organizationId, state: 'running' })
        .forNoKeyUpdate()
        .select('id')
      await db('billing_sources')
        .where({ organizationId })
        .whereNull('removedAt')
        .orderBy('id')
        .forNoKeyUpdate()
        .select('id')
    },

    /**
     * Marks what has one of these tags: what readers see, and what waits for a person. What is being read has no sums
     * by tag yet, so all of it is marked. Answers how many.
     */
    async mark(tagKeys: readonly string[]): Promise<number> {
      const { rowCount } = await db.raw(mark, { organizationId, tagKeys: [...tagKeys] })
      return rowCount
    },

    /** Uploads that such a slice was made of wait for an ingest once more. */
    async giveUploads(): Promise<void> {
      await db.raw(giveUploads, { organizationId })
    },

    /** The slices are being read under the aliases of this transaction, which holds their source. */
    async unmark(sliceIds: readonly number[]): Promise<void> {
      await db('billing_slices')
        .where({ organizationId, readAgain: true })
        .whereIn('id', [...sliceIds])
        .update({ readAgain: false })
    },

    /** The export of these months is gone: that is noted once in an ingest, and not looked for any more. */
    async giveUp(
      at: { ingestId: number; sourceId: number; periods: readonly string[] },
      reason: string,
    ): Promise<void> {
      const given = { organizationId, ...at, periods: [...at.periods], reason }
      await db.raw(noteGone, given)
      await db.raw(unmarkGone, given)
    },
  }
}

/**
 * The months of an upload that are to be loaded. An upload that is new has them all, however late it was completed, but
 * for those that a later one was read of since this one could not be read.
 * Of one that is read again, those that are marked, and those that it never loaded unless a later upload has them:
 * not those that another upload replaced or a person discarded.
 */
export async function monthsOfUpload(
  tenant: Tenant,
  upload: { id: number; sourceId: number },
  periods: readonly string[],
): Promise<string[]> {
  const { db, organizationId } = unwrap(tenant)
  const asked = { organizationId, ...upload, periods: [...periods] }
  const { rows } = await db.raw(monthsToLoad, asked)
  return rows.map(({ period }: { period: string }) => period)
}

const mark = `
  update billing_slices s set read_again = true where s.organization_id = :organizationId
    and (s.state = 'reading' or (s.is_current or s.state = 'suspect') and exists (
      select from cost_tag_keys k where k.organization_id = s.organization_id and k.slice_id = s.id
        and k.tag_key = any(:tagKeys::text[])))`

const giveUploads = `
  update billing_uploads u set state = 'waiting', ingest_id = null
  where u.organization_id = :organizationId and u.state = 'done' and exists (
    select from billing_slices s where s.organization_id = u.organization_id and s.source_id = u.source_id
      and s.manifest = 'upload ' || u.id and s.read_again and (s.is_current or s.state = 'suspect'))`

const noteGone = `
  insert into billing_slices (organization_id, ingest_id, source_id, period, manifest, manifest_hash, state, reason)
  select organization_id, :ingestId, source_id, period, manifest, manifest_hash, 'refused', :reason
  from billing_slices s where s.organization_id = :organizationId and s.source_id = :sourceId and s.is_current
    and s.read_again and s.period = any(:periods::date[])`

const unmarkGone = `
  update billing_slices set read_again = false where organization_id = :organizationId and source_id = :sourceId
    and read_again and period = any(:periods::date[])`

/** `own`: what is being read or was refused may be of a lost attempt, after which the upload is still new. */
const monthsToLoad = `
  with own as (
    select s.period, s.read_again and s.state in ('loaded', 'suspect') as is_marked from billing_slices s
    where s.organization_id = :organizationId and s.source_id = :sourceId
      and s.manifest = 'upload ' || :id::integer
      and s.state in ('loaded', 'suspect', 'superseded', 'discarded')),
  failed as (
    select min(s.began_at) as since from billing_slices s
    where s.organization_id = :organizationId and s.source_id = :sourceId
      and s.manifest = 'upload ' || :id::integer and s.state = 'refused')
  select p.period::text from unnest(:periods::date[]) as p (period)
  where exists (select from own where own.period = p.period and own.is_marked)
    or not exists (select from own where own.period = p.period)
      and not exists (
        select from billing_slices s where s.organization_id = :organizationId and s.source_id = :sourceId
          and s.period = p.period and s.is_current
          and (exists (select from own) or s.began_at > (select since from failed))
          and case when s.manifest ~ '^upload [0-9]+$' then substr(s.manifest, 8)::integer > :id end)`
