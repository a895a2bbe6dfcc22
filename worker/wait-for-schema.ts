import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { PlatformDb } from '../store/driver/connect.ts'
import { missingMigrations } from '../store/platform/missing-migrations.ts'

type Needed = { platform: PlatformDb; log: Pick<Logger, 'warn'> }

/**
 * Waits until the database has the migrations of this version. The API and `npm start` migrate, and a worker that
 * took work before that would fail it: its statements name columns that are not there yet. What keeps it from asking is
 * waited for too: before the first migration there is no table to ask, and no login.
 */
export async function waitForSchema(
  { platform, log }: Needed,
  { everyMs = 1_000, tellEveryMs = 30_000 } = {},
): Promise<void> {
  for (let toldAtMs = -Infinity; ; await sleep(everyMs)) {
    const lack = await lackOf(platform)
    if (!lack) return
    if (performance.now() - toldAtMs < tellEveryMs) continue
    toldAtMs = performance.now()
    log.warn(lack, 'waits for the migrations of this version: start an API of this version')
  }
}

/** What is to be logged of it; undefined if nothing is missing. */
async function lackOf(platform: PlatformDb): Promise<Record<string, unknown> | undefined> {
  try {
    const missing = await missingMigrations(platform)
    return missing.length > 0 ? { missing: missing.length, newest: missing.at(-1) } : undefined
  } catch (error) {
    return { err: error }
  }
}
