import { createDiskRoom, type DiskRoom } from './disk-room.ts'
import { createReaderLine } from './reader-line.ts'

/** Bills that a worker has at once, for each that it reads: the others are fetched or wait. */
export const placesOfReader = 8
/** Largest bills that the disk of the fetched files has room for. A single bill can go beyond it. */
const largestBills = 2

/** What the bills of one worker share (docs/decisions/0237). */
export type BillPlaces = {
  /** Bills of one organization that are under way at once, by all workers together. */
  ofOrganization: number
  /**
   * Waits for one of the worker's readers. `first`: before all that wait without it, for what is short. Rejects once
   * `signal` is aborted.
   */
  read<T>(signal: AbortSignal, work: () => Promise<T>, order?: { first: boolean }): Promise<T>
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
  const line = createReaderLine(readers)
  return {
    ofOrganization: readers,
    async read(signal, work, order = { first: false }) {
      const end = await line.turn(signal, order)
      try {
        return await work()
      } finally {
        end()
      }
    },
    disk: createDiskRoom(largestBills * readers * billBytes),
  }
}
