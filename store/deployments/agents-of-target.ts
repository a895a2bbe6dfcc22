import { unwrap, type Tenant } from '../driver/tenant.ts'
import { onlineSeconds } from './deployment-hosts.ts'

/** How many hosts of a workspace have these labels, and how many of them could take a deployment now. */
export async function agentsOfTarget(
  tenant: Tenant,
  workspaceId: number,
  labels: Readonly<Record<string, string>> = {},
): Promise<{ online: number; total: number }> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select count(*)::integer as total, count(*) filter (where not a.paused and not a.outdated
         and a.last_seen_at > now() - make_interval(secs => ?))::integer as online
     from agents a
     where a.organization_id = ? and a.workspace_id = ? and a.kind = 'host' and a.deleted_at is null
       and a.last_seen_at is not null and a.labels @> ?::jsonb`,
    [onlineSeconds, organizationId, workspaceId, JSON.stringify(labels)],
  )
  return rows[0]
}
