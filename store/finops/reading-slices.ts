import { unwrap, type Tenant } from '../driver/tenant.ts'

type OfSource = { ingestId: number; sourceId: number }
/** What a look found of a month, by its manifest. */
export type LookedAt = OfSource & {
  period: string
  manifest: string
  manifestHash: string
  files: number
}

export type ReadSums = {
  focusVersion: string
  rowsRead: number
  records: number
  days: number
  /** Decimal text. */
  billed: string
  effective: string
  list: string
  currency: string | null
  firstDay: string | null
  lastDay: string | null
}

/** Slices of one organization from a look at the export until their charges are loaded. */
export function readingSlices(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_slices').where({ organizationId })

  return {
    /** Of two beginnings of the same month the second finds the first. */
    async beginReading(look: LookedAt): Promise<{ id: number; period: string }> {
      const { rows: found } = await db.raw(beginReading, { organizationId, ...look })
      return found[0]
    },

    /** A look without anything to load; once a month in an ingest. */
    async note(
      look: LookedAt,
      { state, reason }: { state: 'unchanged' | 'waiting' | 'refused'; reason: string | null },
    ): Promise<void> {
      await db.raw(noteLook, { organizationId, ...look, state, reason })
    },

    async findReading(
      id: number,
    ): Promise<{ period: string; manifestHash: string; ingestId: number } | undefined> {
      return rows().where({ id, state: 'reading' }).first('period', 'manifestHash', 'ingestId')
    },

    async exists(id: number): Promise<boolean> {
      return (await rows().where({ id }).first('id')) !== undefined
    },

    /** The export was written anew: what was noted of it is of no use. */
    async dropReading(id: number): Promise<void> {
      await rows().where({ id, state: 'reading', hasCharges: false }).delete()
    },

    /**
     * Of an attempt before this one: nobody saw them. The row's lock keeps a swap waiting, and a swap that
     * added them up before finds that its sums are void.
     */
    async dropCharges(id: number): Promise<void> {
      const [reading] = await rows()
        .where({ id, state: 'reading', hasCharges: true })
        .update({ rolledUpAt: null })
        .returning('period')
      if (!reading) return
      await db('focus_charges')
        .where({ organizationId, sliceId: id, period: reading.period })
        .delete()
    },

    /** What the reader counted and added up: the swap holds what was loaded against it. */
    async noteRead(id: number, sums: ReadSums): Promise<void> {
      await rows().where({ id, state: 'reading' }).update(sums)
    },
  }
}

const columns = `organization_id, ingest_id, source_id, period, manifest, manifest_hash, files`
const values = `:organizationId, :ingestId, :sourceId, :period::date, :manifest, :manifestHash, :files`

const beginReading = `
  insert into billing_slices (${columns}, state) values (${values}, 'reading')
  on conflict (organization_id, source_id, period) where state = 'reading'
  do update set ingest_id = excluded.ingest_id, manifest = excluded.manifest,
    manifest_hash = excluded.manifest_hash, files = excluded.files, began_at = now()
  returning id, period`

const noteLook = `
  insert into billing_slices (${columns}, state, reason)
  select ${values}, :state, :reason where not exists (select from billing_slices
    where organization_id = :organizationId and ingest_id = :ingestId and source_id = :sourceId
      and period = :period::date and (state <> 'waiting' or :state = 'waiting'))`
