import type { Tenant } from '../../store/driver/tenant.ts'
import type { RunCaller } from '../../domain/access/caller.ts'
import type { AuditActor } from '../../store/audit/audit-log.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { workspaceLocks, type WorkspaceLock } from '../../store/workspaces/workspace-locks.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'

/**
 * Locks the workspace's row and checks again whether the run may still write: a newer attempt may
 * have raised the fencing number since the token was checked. Returns the run's own lock, or
 * undefined if the run lost its workspace.
 */
export async function holdRunWorkspace(
  tenant: Tenant,
  run: RunCaller,
): Promise<WorkspaceLock | undefined> {
  const { workspaceId, workspaceRunId } = run
  const workspace = await workspaces(tenant).getForUpdate(workspaceId)
  const { phase } = await workspaceRuns(tenant).get(workspaceRunId)
  const lock = await workspaceLocks(tenant).find(workspaceId)
  const holds = lock?.kind === 'run' && lock.workspaceRunId === workspaceRunId
  return run.current && workspace.fence === run.fence && phase === 'applying' && holds
    ? lock
    : undefined
}

export const actorOfRunToken = ({ workspaceRunId }: RunCaller): AuditActor => ({
  kind: 'system',
  id: null,
  label: `run ${workspaceRunId}`,
})
