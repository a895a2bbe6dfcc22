import { spawn } from 'node:child_process'
import { closeSync, constants, fsyncSync, openSync, readdirSync } from 'node:fs'
import { searchPath } from '../config.ts'

/**
 * Has everything below a folder on the disk before the journal says so. `sync -f` flushes a file system in one
 * call, which Node does not offer; fsync of each of 200,000 files takes minutes. Without that program (it is of
 * coreutils and of BusyBox) each file is flushed by itself.
 */
export async function flushTree(path: string): Promise<void> {
  if (!(await flushedByProgram(path))) flushEach(Buffer.from(path))
}

async function flushedByProgram(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sync = spawn('sync', ['-f', path], { stdio: 'ignore', env: { PATH: searchPath } })
    sync.once('error', () => resolve(false))
    sync.once('exit', (code) => resolve(code === 0))
  })
}

function flushEach(folder: Buffer): void {
  // As bytes: a name of an archive may be no UTF-8.
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
    const path = Buffer.concat([folder, Buffer.from('/'), entry.name])
    if (entry.isDirectory()) flushEach(path)
    else if (entry.isFile()) flush(path)
  }
  flush(folder)
}

function flush(path: Buffer): void {
  const file = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
