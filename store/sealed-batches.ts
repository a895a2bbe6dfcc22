import type { Db } from './connect.ts'

/** Rows `firstSeq` to `lastSeq` of one owner, sealed as one value. */
export type SealedBatch = { firstSeq: number; lastSeq: number; body: Buffer }

export type BatchTable = {
  table: 'plan_changes' | 'state_pieces' | 'state_resources' | 'state_outputs'
  /** The columns that say whose rows they are. */
  owner: Readonly<Record<string, number | string>>
}

/**
 * Rows that are read by pages and kept in sealed batches. Each statement moves a bounded number of
 * batches, so neither writing nor reading holds the whole.
 */
export function sealedBatches(db: Db, organizationId: number, { table, owner }: BatchTable) {
  return {
    async add(batches: Iterable<SealedBatch>): Promise<void> {
      for (const batch of batches) await db(table).insert({ organizationId, ...owner, ...batch })
    },

    /** The batch of the row after `seq` and those that follow it. */
    async after(seq: number, limit: number): Promise<SealedBatch[]> {
      return db(table)
        .where({ organizationId, ...owner })
        .where('lastSeq', '>', seq)
        .orderBy('lastSeq')
        .limit(limit)
        .select('firstSeq', 'lastSeq', 'body')
    },
  }
}
