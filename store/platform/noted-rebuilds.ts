import type { PlatformDb } from '../driver/connect.ts'

/** Workspaces whose resources changed, each organization's first before the second of any. */
export async function notedRebuilds(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; workspaceId: number }>> {
  const { rows } = await db.raw(
    `select organization_id as "organizationId", workspace_id as "workspaceId" from cost_rebuilds
     order by row_number() over (partition by organization_id order by noted_at), noted_at limit ?`,
    [limit],
  )
  return rows
}
