import { unwrap, type Tenant } from '../driver/tenant.ts'

/** What an upload is sealed for: sealed text of another place does not open with it. */
export const placeOfChunks = (organizationId: number) =>
  ({ organizationId, table: 'billing_upload_chunks', column: 'sealed' }) as const

/** The first key of the advisory lock, arbitrary; the second is the organization. */
const beginLock = 726_199_448
/**
 * A receiver that stored nothing for so long is gone: each chunk is noted, and an upload that is slower is
 * ended (api/finops/uploads/upload-pace.ts).
 */
export const goneAfter = '5 minutes'

/** Uploads of bills that an organization sends: files as sealed chunks, which API and worker share. */
export function billingUploads(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_uploads').where({ organizationId })

  return {
    /** Locks out other beginnings in the organization until the transaction ends. */
    async countUnderWay(): Promise<{ receiving: number; storedBytes: number; sources: number }> {
      await db.raw('select pg_advisory_xact_lock(?, ?)', [beginLock, organizationId])
      const { rows: found } = await db.raw(countUnderWay, { organizationId, goneAfter })
      return found[0]
    },

    async begin(upload: { sourceId: number; createdBy: number | null }): Promise<number> {
      const [row] = await db('billing_uploads')
        .insert({ organizationId, ...upload, state: 'receiving' })
        .returning('id')
      return row.id
    },

    async addFile(uploadId: number, name: string): Promise<number> {
      const [row] = await db('billing_upload_files')
        .insert({ organizationId, uploadId, name })
        .returning('id')
      return row.id
    },

    /** False if the upload was given up meanwhile. */
    async addChunk(
      uploadId: number,
      { fileId, number, sealed }: { fileId: number; number: number; sealed: Buffer },
    ): Promise<boolean> {
      const touched = await rows()
        .where({ id: uploadId, state: 'receiving' })
        .update({ touchedAt: db.fn.now() })
      if (touched !== 1) return false
      await db('billing_upload_chunks').insert({ organizationId, fileId, number, sealed })
      return true
    },

    async endFile(fileId: number, { bytes, sha256 }: { bytes: number; sha256: string }) {
      await db('billing_upload_files')
        .where({ organizationId, id: fileId })
        .update({ bytes, sha256 })
    },

    /** Only the call that moves the upload gets `true`. */
    async complete(id: number): Promise<boolean> {
      const moved = await rows().where({ id, state: 'receiving' }).update({ state: 'waiting' })
      return moved === 1
    },

    /** Deletes what was received, and the source if this upload alone made it. */
    async abandon(id: number): Promise<void> {
      const [gone] = await rows().where({ id, state: 'receiving' }).delete().returning('sourceId')
      if (gone) await db.raw(dropUnusedSource, { organizationId, id: gone.sourceId })
    },
  }
}

const countUnderWay = `
  select (select count(*)::int from billing_uploads where organization_id = :organizationId
      and state = 'receiving' and touched_at > now() - :goneAfter::interval) as receiving,
    (select coalesce(sum(bytes), 0)::bigint from billing_upload_files
      where organization_id = :organizationId) as "storedBytes",
    (select count(*)::int from billing_sources where organization_id = :organizationId
      and name is not null and removed_at is null) as sources`

const dropUnusedSource = `
  delete from billing_sources s where s.organization_id = :organizationId and s.id = :id and s.name is not null
    and not exists (select from billing_uploads u where u.organization_id = s.organization_id and u.source_id = s.id)
    and not exists (select from billing_slices l where l.organization_id = s.organization_id and l.source_id = s.id)
    and not exists (select from billing_ingest_sources i
      where i.organization_id = s.organization_id and i.source_id = s.id)`
