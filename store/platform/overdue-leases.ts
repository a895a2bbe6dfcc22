import type { PlatformDb } from '../driver/connect.ts'

export type OverdueLease = { organizationId: number; deploymentId: number; agentId: number }

/**
 * Hosts whose lease is over, and hosts that are to stop and hold none. Each organization's first comes before
 * anybody's second, so that those of one organization which fail do not fill the page.
 */
export async function overdueLeases(db: PlatformDb, limit: number): Promise<OverdueLease[]> {
  const { rows } = await db.raw(
    `select organization_id as "organizationId", pipeline_run_id as "deploymentId", agent_id as "agentId"
     from (
       select organization_id, pipeline_run_id, agent_id, lease_until as since from deployment_hosts
       where lease_until < now()
       union all
       select organization_id, pipeline_run_id, agent_id, stop_requested_at from deployment_hosts
       where stop_requested_at is not null and wanted is not null and lease_until is null
         and claimed_at is not null) as overdue
     order by row_number() over (partition by organization_id order by since), since limit ?`,
    [limit],
  )
  return rows
}
