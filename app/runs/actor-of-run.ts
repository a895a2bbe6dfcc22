import type { Tenant } from '../../store/driver/tenant.ts'
import { systemActor, type AuditActor } from '../../store/audit/audit-log.ts'
import { users } from '../../store/users/users.ts'
import type { WorkspaceRun } from '../../store/runs/workspace-runs.ts'

/** The actor of what a worker does for a run: the run's author. */
export async function actorOfRun(
  tenant: Tenant,
  run: Pick<WorkspaceRun, 'authorUserId'>,
): Promise<AuditActor> {
  if (run.authorUserId === null) return systemActor
  const [author] = await users(tenant).listByIds([run.authorUserId])
  return author ? { kind: 'user', id: author.id, label: author.email ?? author.name } : systemActor
}
