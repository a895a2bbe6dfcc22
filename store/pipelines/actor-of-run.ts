import type { Tenant } from '../driver/tenant.ts'
import { systemActor, type AuditActor } from '../audit/audit-log.ts'
import { users } from '../users/users.ts'
import type { WorkspaceRun } from './workspace-runs.ts'

/** The actor of what a worker does for a run: the run's author. */
export async function actorOfRun(
  tenant: Tenant,
  run: Pick<WorkspaceRun, 'authorUserId'>,
): Promise<AuditActor> {
  if (run.authorUserId === null) return systemActor
  const [author] = await users(tenant).listByIds([run.authorUserId])
  return author ? { kind: 'user', id: author.id, label: author.email ?? author.name } : systemActor
}
