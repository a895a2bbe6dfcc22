import { createKeyedTurns } from '../../gateways/outbound/keyed-turns.ts'
import { createDiskRoom, type DiskRoom } from './disk-room.ts'

/** Bills that a worker has at once, for each that it reads: the others are fetched or wait. */
export const placesOfReader = 8
/** Largest bills that the disk of the fetched files has room for. A single bill can go beyond it. */
const largestBills = 2

/** What the bills of one worker share (docs/decisions/0237). */
export type BillPlaces = {
  /** Bills of one organization that are under way at once, by all workers together. */
  ofOrganization: number
  /** Waits for one of the worker's readers. Rejects once `signal` is aborted. */
  read<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
  disk: DiskRoom
}

/** `readers` are CC_BILLING_SLOTS: bills that are read, loaded or swapped at once, which takes memory and processors. */
export function createBillPlaces({
  readers,
  billBytes,
}: {
  readers: number
  billBytes: number
}): BillPlaces {
  const turns = createKeyedTurns(readers)
  return {
    ofOrganization: readers,
    async read(signal, work) {
      const end = await turns.turn('reader', signal).catch((error: unknown) => {
        signal.throwIfAborted()
        throw error
      })
      try {
        return await work()
      } finally {
        end()
      }
    },
    disk: createDiskRoom(largestBills * readers * billBytes),
  }
}
