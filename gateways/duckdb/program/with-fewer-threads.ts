import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BillTooLarge, type ProgramRequest } from './protocol.ts'

/**
 * Reads by two threads, and by one where they need more memory than there is: each has buffers and groups of its own. A
 * CSV of 10 million lines needs it, Parquet of as many does not. What the two wrote is deleted before: charges are
 * appended to the files of their months, and rows of both would be in them.
 */
export async function withFewerThreads<T>(
  { outFolder, scratchFolder }: Pick<ProgramRequest, 'outFolder' | 'scratchFolder'>,
  read: (threads: number) => Promise<T>,
): Promise<T> {
  try {
    return await read(2)
  } catch (error) {
    if (!(error instanceof BillTooLarge)) throw error
    for (const folder of [outFolder, scratchFolder]) await empty(folder)
    return read(1)
  }
}

/** Keeps the folder itself: the program may not be allowed to make it again. */
async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    await rm(join(folder, name), { recursive: true, force: true })
}
