import type { PlatformDb } from '../driver/connect.ts'

/** How many runs of all organizations are in each phase that is not the last, for the metrics. */
export async function countLiveRuns(db: PlatformDb): Promise<{ phase: string; count: number }[]> {
  const { rows } = await db.raw(
    `select phase, count(*)::integer as count from workspace_runs
     where phase in ('queued', 'awaiting_plan_approval', 'planning', 'awaiting_approval', 'apply_queued', 'applying') group by phase`,
  )
  return rows
}

/** The age of the oldest row of the outbox that waits; 0 if none does. */
export async function oldestOutboxSeconds(db: PlatformDb): Promise<number> {
  const { rows } = await db.raw(
    `select coalesce(extract(epoch from now() - min(created_at)), 0)::float as age from outbox
     where done_at is null and dead_at is null`,
  )
  return rows[0].age
}

/** How many rows of the outbox are delivered no more. */
export async function countDeadOutbox(db: PlatformDb): Promise<number> {
  const { rows } = await db.raw(
    'select count(*)::integer as count from outbox where dead_at is not null',
  )
  return rows[0].count
}
