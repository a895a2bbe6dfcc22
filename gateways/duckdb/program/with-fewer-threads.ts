import { BillTooLarge } from './protocol.ts'

/**
 * Reads by two threads, and by one where they need more memory than there is: each has buffers and groups of its own. A
 * CSV of 10 million lines needs it, Parquet of as many does not.
 */
export async function withFewerThreads<T>(read: (threads: number) => Promise<T>): Promise<T> {
  try {
    return await read(2)
  } catch (error) {
    if (!(error instanceof BillTooLarge)) throw error
    return read(1)
  }
}
