import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { searchPath } from '../config.ts'

/** Up to so many are flushed one by one. */
const fewEntries = 256

/**
 * Has everything below a folder on the disk before the journal says so. `sync -f` flushes a file system in one
 * call, which Node does not offer; fsync of each of 200,000 files takes minutes. But it flushes what others wrote too,
 * and the archive that was just fetched, so a release of a few large files is flushed by itself. So is one where that
 * program (it is of coreutils and of BusyBox) is missing.
 */
export async function flushTree(path: string, entries: number): Promise<void> {
  if (entries <= fewEntries || !(await flushedByProgram(path))) await flushEach(Buffer.from(path))
}

async function flushedByProgram(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sync = spawn('sync', ['-f', path], { stdio: 'ignore', env: { PATH: searchPath } })
    sync.once('error', () => resolve(false))
    sync.once('exit', (code) => resolve(code === 0))
  })
}

async function flushEach(folder: Buffer): Promise<void> {
  // As bytes: a name of an archive may be no UTF-8.
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
    const path = Buffer.concat([folder, Buffer.from('/'), entry.name])
    if (entry.isDirectory()) await flushEach(path)
    else if (entry.isFile()) await flush(path)
  }
  await flush(folder)
}

/** In a thread: a large file takes seconds, and the lease is kept meanwhile. */
async function flush(path: Buffer): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
