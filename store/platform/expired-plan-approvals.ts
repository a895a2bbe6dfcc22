import type { PlatformDb } from '../driver/connect.ts'

/**
 * Runs that waited too long for an approval of their files. They have no workflow yet, so no timer
 * of Temporal ends them. Each organization's first comes before anybody's second, so that those of
 * one organization which cannot be ended do not fill the page.
 */
export async function expiredPlanApprovals(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; workspaceRunId: number }>> {
  const { rows } = await db.raw(
    `select r.organization_id as "organizationId", r.id as "workspaceRunId"
     from workspace_runs r join organizations o on o.id = r.organization_id and o.status = 'active'
     where r.phase = 'awaiting_plan_approval' and r.approval_expires_at <= now()
     order by row_number() over (partition by r.organization_id order by r.approval_expires_at, r.id),
       r.approval_expires_at limit ?`,
    [limit],
  )
  return rows
}
