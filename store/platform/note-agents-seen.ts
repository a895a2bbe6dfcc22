import type { PlatformDb } from '../driver/connect.ts'

/**
 * Agents that were heard of since the last call: one statement for all of them. A row that is locked is being
 * changed by its agent's own request, and two processes that note the same agents do not deadlock.
 */
export async function noteAgentsSeen(db: PlatformDb, ids: readonly number[]): Promise<void> {
  await db.raw(
    `update agents set last_seen_at = now(), outdated = false
     where id in (select id from agents where id = any(?::integer[]) and deleted_at is null
       order by id for update skip locked)`,
    [[...ids]],
  )
}
