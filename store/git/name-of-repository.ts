import type { Db } from '../connect.ts'

/** The repository of a connection without its owner, which may be a person's name: Temporal's UI shows it. */
export async function nameOfRepository(
  db: Db,
  organizationId: number,
  connectionId: number,
): Promise<string> {
  const row = await db('git_connections')
    .where({ organizationId, id: connectionId })
    .first('defaultRepo')
  return row?.defaultRepo?.split('/').at(-1) ?? `connection ${connectionId}`
}
