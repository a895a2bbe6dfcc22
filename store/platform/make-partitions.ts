import type { PlatformDb } from '../driver/connect.ts'

/** Makes the partitions of this month and the next three, where there are none yet. */
export async function makePartitions(db: PlatformDb): Promise<void> {
  await db.raw(`select ensure_month_partitions('audit_entries', 3)`)
  await db.raw(`select ensure_month_partitions('log_lines', 3)`)
}
