import type { PlatformDb } from '../driver/connect.ts'

/**
 * Workspaces whose state was stored before its resources were noted. Each organization's first comes
 * before anybody's second, so that those of one that cannot be read do not fill the page.
 */
export async function unreadStates(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; workspaceId: number }>> {
  const { rows } = await db.raw(
    `select organization_id as "organizationId", id as "workspaceId" from workspaces
     where resources_due
     order by row_number() over (partition by organization_id order by id), id limit ?`,
    [limit],
  )
  return rows
}
