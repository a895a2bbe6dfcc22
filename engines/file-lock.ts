import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

export type FileLock = { release(): void }

/**
 * A lock between processes that the kernel lets go when its holder dies, however it dies.
 * Node has no flock of its own; SQLite's lock on a file is one, on every platform.
 * Undefined when another process, or another caller in this one, holds it.
 */
export function tryLock(path: string): FileLock | undefined {
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // Without this the lock would leave a journal beside it.
    database.exec('pragma journal_mode = memory')
    database.exec('begin exclusive')
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/** Waits for the lock; `onWait` is told once, when it is not free at first. */
export async function waitForLock(path: string, onWait: () => void): Promise<FileLock> {
  for (let attempt = 0; ; attempt += 1) {
    const lock = tryLock(path)
    if (lock) return lock
    if (attempt === 0) onWait()
    await sleep(200)
  }
}

function isBusy(error: unknown): boolean {
  // SQLITE_BUSY; the driver puts the number into `errcode`.
  return error instanceof Error && (error as { errcode?: number }).errcode === 5
}
