import type { Tenant } from '../driver/tenant.ts'
import { sealedBatches, type SealedBatch } from '../sealed-batches.ts'

export const partTables = {
  piece: 'state_pieces',
  resource: 'state_resources',
  output: 'state_outputs',
} as const
export type StatePartKind = keyof typeof partTables

/** The stored parts of a state: its bytes in pieces, its resources and outputs in batches of rows. */
export function stateParts(tenant: Tenant) {
  const of = (kind: StatePartKind, stateVersionId: number) =>
    sealedBatches(tenant, { table: partTables[kind], owner: { stateVersionId } })

  return {
    async add(versionId: number, kind: StatePartKind, batch: SealedBatch): Promise<void> {
      await of(kind, versionId).add([batch])
    },

    /** Those that are there already stay: where the answer to a commit was lost, it is asked again. */
    async addOnce(
      versionId: number,
      kind: StatePartKind,
      batches: readonly SealedBatch[],
    ): Promise<void> {
      await of(kind, versionId).addOnce(batches)
    },

    async after(
      { versionId, kind }: { versionId: number; kind: StatePartKind },
      seq: number,
      limit: number,
    ): Promise<SealedBatch[]> {
      return of(kind, versionId).after(seq, limit)
    },

    /** What `read` makes of the pieces behind `seq`; the bytes of one are there only while it does. */
    async readPieces<T>(
      versionId: number,
      { after, limit }: { after: number; limit: number },
      read: (piece: SealedBatch) => T,
    ): Promise<T[]> {
      return of('piece', versionId).readAfter(after, limit, read)
    },
  }
}
