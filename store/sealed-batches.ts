import { unwrap, type Tenant } from './driver/tenant.ts'
import { copyRows, type CopiedRow } from './copy-rows.ts'

/** Rows `firstSeq` to `lastSeq` of one owner, sealed as one value. */
export type SealedBatch = { firstSeq: number; lastSeq: number; body: Buffer }

export type BatchTable = {
  table: 'plan_changes' | 'state_pieces' | 'state_resources' | 'state_outputs'
  /** The columns that identify the owner of the rows. */
  owner: Readonly<Record<string, number | string>>
}

/**
 * Rows that are read in pages and stored in sealed batches. Each statement moves a bounded number of
 * batches, so neither writing nor reading holds all of them in memory.
 */
export function sealedBatches(tenant: Tenant, { table, owner }: BatchTable) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async add(batches: readonly SealedBatch[]): Promise<void> {
      if (batches.length === 0) return
      await db(table).insert(batches.map((batch) => ({ organizationId, ...owner, ...batch })))
    },

    async addOnce(batches: Iterable<SealedBatch>): Promise<void> {
      for (const batch of batches)
        await db(table)
          .insert({ organizationId, ...owner, ...batch })
          .onConflict()
          .ignore()
    },

    /** The batch with the row after `seq`, and those that follow it. */
    async after(seq: number, limit: number): Promise<SealedBatch[]> {
      return this.readAfter(seq, limit, (batch) => ({ ...batch, body: Buffer.from(batch.body) }))
    },

    /** What `read` makes of them. A batch's body is there only while it does. */
    async readAfter<T>(seq: number, limit: number, read: (batch: SealedBatch) => T): Promise<T[]> {
      const rows = db(table)
        .where({ organizationId, ...owner })
        .where('lastSeq', '>', seq)
        .orderBy('lastSeq')
        .limit(limit)
        .select('firstSeq', 'lastSeq', 'body')
      return copyRows(db, rows, (row) => read(toBatch(row)))
    },
  }
}

/** In the order of the columns above; none of them is ever null. */
function toBatch([firstSeq, lastSeq, body]: CopiedRow): SealedBatch {
  if (!firstSeq || !lastSeq || !body) throw new Error('a batch without its numbers or its body')
  return { firstSeq: firstSeq.readInt32BE(), lastSeq: lastSeq.readInt32BE(), body }
}
