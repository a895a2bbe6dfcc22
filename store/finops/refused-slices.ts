import { unwrap, type Tenant } from '../driver/tenant.ts'

export type BillError = { file: string; row: number | null; column: string | null; message: string }
type OfSource = { ingestId: number; sourceId: number }
type Refusal = {
  errors?: readonly BillError[]
  rejected?: number
  /** The files are to blame: the same ones are refused again. */
  contentRefused?: boolean
}

/** Slices of one organization that could not be read: the old numbers stay. */
export function refusedSlices(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_slices').where({ organizationId })

  return {
    /** Only slices that are being read are changed: one, those of a source, or all of the ingest. */
    async refuseReading(
      at: { ingestId: number; sourceId?: number; sliceId?: number },
      reason: string,
      { errors = [], rejected = 0, contentRefused = false }: Refusal = {},
    ): Promise<void> {
      const { ingestId, sourceId, sliceId } = at
      await rows()
        .where({
          ingestId,
          state: 'reading',
          ...(sourceId !== undefined && { sourceId }),
          ...(sliceId !== undefined && { id: sliceId }),
        })
        .update({
          state: 'refused',
          reason,
          errors: JSON.stringify(errors),
          recordsRejected: rejected,
          contentRefused,
        })
    },

    /**
     * The months of an upload that are still being read, or the upload itself where none of it is known:
     * one that cannot be read tells no month. Once an upload.
     */
    async refuseUpload(
      at: OfSource & { manifest: string; files: number },
      reason: string,
      { errors = [], rejected = 0 }: Refusal = {},
    ): Promise<void> {
      const { manifest, ...source } = at
      const own = { ingestId: at.ingestId, sourceId: at.sourceId, manifest }
      await rows()
        .where({ ...own, state: 'reading' })
        .update({ state: 'refused', reason })
      const refused = rows().where({ ...own, state: 'refused' })
      // The places of the errors belong to no month.
      if (errors.length > 0) refused.whereNull('period')
      if (await refused.first('id')) return
      await db('billing_slices').insert({
        organizationId,
        ...source,
        manifest,
        state: 'refused',
        reason,
        errors: JSON.stringify(errors),
        recordsRejected: rejected,
      })
    },
  }
}
