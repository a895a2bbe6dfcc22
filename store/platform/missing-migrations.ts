import type { PlatformDb } from '../driver/connect.ts'
import { migrations } from '../migrate.ts'

/**
 * The migrations of this version that the database does not have, in their order. Others that it has are of a newer
 * version. Throws if there is no table of migrations yet.
 */
export async function missingMigrations(db: PlatformDb): Promise<string[]> {
  const done = new Set<string>(await db('schema_migrations').pluck('name'))
  return Object.keys(migrations).filter((name) => !done.has(name))
}
