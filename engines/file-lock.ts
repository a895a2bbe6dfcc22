import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

export type FileLock = { release(): void }

/**
 * Locks a file between processes. The kernel releases the lock when the holder dies, also by SIGKILL.
 * Uses SQLite's file lock, because Node has no flock. Returns undefined if another process, or another
 * caller in this process, holds the lock.
 */
export function tryLock(path: string): FileLock | undefined {
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // Otherwise SQLite would leave a journal file beside the lock.
    database.exec('pragma journal_mode = memory')
    database.exec('begin exclusive')
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/** Waits for the lock. Calls `onWait` once if the lock is not free at first. */
export async function waitForLock(path: string, onWait: () => void): Promise<FileLock> {
  for (let attempt = 0; ; attempt += 1) {
    const lock = tryLock(path)
    if (lock) return lock
    if (attempt === 0) onWait()
    await sleep(200)
  }
}

function isBusy(error: unknown): boolean {
  // SQLITE_BUSY. Node's SQLite errors have the number as `errcode`.
  return error instanceof Error && (error as { errcode?: number }).errcode === 5
}
