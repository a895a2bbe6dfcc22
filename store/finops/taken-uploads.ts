import { unwrap, type Tenant } from '../driver/tenant.ts'

export type UploadedFile = { id: number; name: string; bytes: number; sha256: string }

type OfIngest = { ingestId: number; sourceId?: number }

/** An upload that could not be read by a fault of ours starts an ingest by itself this much later. */
export const readAgainAfter = '1 hour'
/** So long after its first failure, it is ended by the next one: it may be the files that stop every reader. */
const readAgainFor = '3 days'

/** Received uploads of one organization, as ingests read them. */
export function takenUploads(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_uploads').where({ organizationId })
  const taken = (at: OfIngest) => rows().where({ ...at, state: 'taken' })

  return {
    /**
     * The uploads of the source that this ingest reads next, oldest first: those that it took, and of those
     * that wait as many as there is room for. Not those that it put back: it would read them without end.
     */
    async take(sourceId: number, ingestId: number, limit: number): Promise<number[]> {
      const room = limit - (await taken({ sourceId, ingestId }).pluck('id')).length
      if (room > 0) {
        const next = rows()
          .where({ sourceId, state: 'waiting' })
          .whereRaw('ingest_id is distinct from ?::integer', [ingestId])
        const ids = next.orderBy('id').limit(room).select('id')
        await rows()
          .where({ state: 'waiting' })
          .whereIn('id', ids)
          .update({ state: 'taken', ingestId })
      }
      return taken({ sourceId, ingestId }).orderBy('id').pluck('id')
    },

    /** Whether more of the source, which is not removed, wait for this ingest. */
    async wait(sourceId: number, ingestId: number): Promise<boolean> {
      const { rows: found } = await db.raw(waiting, { organizationId, sourceId, ingestId })
      return found.length > 0
    },

    /** Undefined once the upload is over, or was taken by another ingest. */
    async filesOf(id: number, ingestId: number): Promise<UploadedFile[] | undefined> {
      if (!(await taken({ ingestId }).where({ id }).first('id'))) return undefined
      return db('billing_upload_files')
        .where({ organizationId, uploadId: id })
        .orderBy('id')
        .select('id', 'name', 'bytes', 'sha256')
    },

    async chunk(fileId: number, number: number): Promise<Buffer | undefined> {
      const place = { organizationId, fileId, number }
      return (await db('billing_upload_chunks').where(place).first('sealed'))?.sealed
    },

    /** Those that the ingest did not read wait for the next one. */
    async giveBack(ingestId: number): Promise<void> {
      await taken({ ingestId }).update({ state: 'waiting', ingestId: null })
    },

    async end(id: number, ingestId: number): Promise<void> {
      await taken({ ingestId }).where({ id }).update({ state: 'done' })
    },

    /** All that the ingest took and did not read, those of one source if it is given, locked. */
    async hold(at: OfIngest): Promise<Array<{ id: number; sourceId: number }>> {
      return taken(at).orderBy('id').forUpdate().select('id', 'sourceId')
    },
  }
}

/**
 * After a fault of ours: an upload that the ingest took waits for another one. It keeps the `ingestId`, by which this
 * ingest leaves it alone. Ended instead if a refused slice of it, which notes a failure, is days old.
 */
export async function putBackUpload(tenant: Tenant, id: number, ingestId: number): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await db.raw(putBack, { organizationId, id, ingestId, readAgainFor })
}

const waiting = `
  select 1 from billing_uploads u
    join billing_sources s on s.organization_id = u.organization_id and s.id = u.source_id
  where u.organization_id = :organizationId and u.source_id = :sourceId and u.state = 'waiting'
    and u.ingest_id is distinct from :ingestId::integer and s.removed_at is null limit 1`

const putBack = `
  update billing_uploads u set touched_at = now(), state = case when exists (
      select from billing_slices s where s.organization_id = u.organization_id and s.source_id = u.source_id
        and s.manifest = 'upload ' || u.id and s.state = 'refused'
        and s.began_at < now() - :readAgainFor::interval)
    then 'done' else 'waiting' end
  where u.organization_id = :organizationId and u.id = :id and u.ingest_id = :ingestId and u.state = 'taken'`
