import type { SliceState } from '../../domain/finops/ingest-state.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

type OfSource = { ingestId: number; sourceId: number }
export type NewestLook = {
  id: number
  period: string
  ingestId: number
  state: SliceState
  manifestHash: string
  /** Its files were read and refused. */
  contentRefused: boolean
  /** Its tags, or those of what it did not replace, are to be read again out of the same files. */
  readAgain: boolean
}

/** The looks of an ingest at slices. */
export function ingestSlices(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_slices').where({ organizationId })

  return {
    async list(
      at: OfSource,
    ): Promise<
      Array<{ id: number; period: string | null; state: SliceState; reason: string | null }>
    > {
      return rows().where(at).orderBy('id').select('id', 'period', 'state', 'reason')
    },

    /** The newest look at each month of the source, without those that found nothing new. */
    async newest(sourceId: number): Promise<NewestLook[]> {
      const { rows: found } = await db.raw(newest, { organizationId, sourceId })
      return found
    },

    /** Adds up what the slices of an ingest say. */
    async countInto(ingestId: number): Promise<Record<string, number>> {
      const { rows: found } = await db.raw(countInto, { organizationId, ingestId })
      return found[0]
    },
  }
}

const newest = `
  select distinct on (period) id, period, ingest_id as "ingestId", state, manifest_hash as "manifestHash",
    content_refused as "contentRefused", read_again or state = 'refused' and exists (
      select from billing_slices c where c.organization_id = s.organization_id and c.source_id = s.source_id
        and c.period = s.period and c.is_current and c.read_again) as "readAgain"
  from billing_slices s where organization_id = :organizationId and source_id = :sourceId and period is not null
    and state not in ('unchanged', 'waiting')
  order by period, id desc`

const countInto = `
  update billing_ingests g set rows_read = t.read, records_upserted = t.upserted, records_rejected = t.rejected
  from (select coalesce(sum(rows_read) filter (where state <> 'unchanged'), 0)::bigint as read,
      coalesce(sum(records_upserted), 0)::bigint as upserted, coalesce(sum(records_rejected), 0)::bigint as rejected
    from billing_slices where organization_id = :organizationId and ingest_id = :ingestId) t
  where g.organization_id = :organizationId and g.id = :ingestId
  returning g.rows_read as "rowsRead", g.records_upserted as "recordsUpserted",
    g.records_rejected as "recordsRejected"`
