import type { Db } from './connect.ts'

/** Rows `firstSeq` to `lastSeq` of one owner, sealed as one value. */
export type SealedBatch = { firstSeq: number; lastSeq: number; body: Buffer }

export type BatchTable = {
  table: 'plan_changes' | 'state_pieces' | 'state_resources' | 'state_outputs'
  /** The column that says whose rows they are. */
  owner: 'workspaceRunId' | 'stateVersionId'
}

/**
 * Rows that are read by pages and kept in sealed batches. Each statement moves a bounded number of
 * batches, so neither writing nor reading holds the whole.
 */
export function sealedBatches(db: Db, organizationId: number, { table, owner }: BatchTable) {
  return {
    async add(ownerId: number, batch: SealedBatch): Promise<void> {
      await db(table).insert({ organizationId, [owner]: ownerId, ...batch })
    },

    /** Takes the place of all that the owner had. */
    async replace(ownerId: number, batches: Iterable<SealedBatch>): Promise<void> {
      await db(table)
        .where({ organizationId, [owner]: ownerId })
        .delete()
      for (const batch of batches)
        await db(table).insert({ organizationId, [owner]: ownerId, ...batch })
    },

    /** The batch of the row after `seq` and those that follow it. */
    async after(ownerId: number, seq: number, limit: number): Promise<SealedBatch[]> {
      return db(table)
        .where({ organizationId, [owner]: ownerId })
        .where('lastSeq', '>', seq)
        .orderBy('lastSeq')
        .limit(limit)
        .select('firstSeq', 'lastSeq', 'body')
    },
  }
}
