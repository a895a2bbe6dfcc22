import type { PlatformDb } from '../driver/connect.ts'

/** Throws if the database cannot be asked, or has no schema of this service. */
export async function probeDatabase(db: PlatformDb): Promise<void> {
  await db.raw('select 1 from schema_migrations limit 1')
}
