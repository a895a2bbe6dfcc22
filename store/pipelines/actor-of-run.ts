import { systemActor, type AuditActor } from '../audit/audit-log.ts'
import type { Db } from '../connect.ts'
import { users } from '../users/users.ts'
import type { WorkspaceRun } from './workspace-runs.ts'

/** The actor of what a worker does for a run: the run's author. */
export async function actorOfRun(
  db: Db,
  organizationId: number,
  run: Pick<WorkspaceRun, 'authorUserId'>,
): Promise<AuditActor> {
  if (run.authorUserId === null) return systemActor
  const [author] = await users(db, organizationId).listByIds([run.authorUserId])
  return author ? { kind: 'user', id: author.id, label: author.email ?? author.name } : systemActor
}
