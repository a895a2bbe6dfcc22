import type { Caller } from '../../domain/access/caller.ts'
import { assertMayChangeGuard } from '../../domain/workspaces/guard-denied.ts'
import type { LockInfo } from '../../domain/workspaces/lock-info.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { workspaceLocks, type WorkspaceLock } from '../../store/workspaces/workspace-locks.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from './hold-workspace.ts'

/**
 * A person's own tofu takes the lock; runs then wait for it (`blockedBy: user_lock`). Returns the
 * lock that is in the way. The same lock again succeeds: the first answer may have been lost.
 */
export async function takeCliLock(
  deps: Deps,
  caller: Caller,
  { id, info }: { id: number; info: LockInfo },
): Promise<WorkspaceLock | undefined> {
  return holdWorkspace(deps, { caller, id }, async (tenant, workspace) => {
    // Its state write would be refused only after it had changed real resources, so its lock is refused.
    if (workspace.criticality === 'production' && info.Operation === 'OperationTypeApply')
      assertMayChangeGuard(caller, 'the state of a production workspace')
    const locks = workspaceLocks(tenant)
    const taken = await locks.take({
      workspaceId: id,
      kind: 'cli',
      lockId: info.ID,
      info,
      userId: caller.userId,
      label: caller.email ?? caller.name,
    })
    if (!taken) {
      const held = await locks.find(id)
      return held?.userId === caller.userId && held.lockId === info.ID ? undefined : held
    }
    await auditLog(tenant, actorOf(caller)).record('workspace.locked', {
      target: { kind: 'workspace', id, label: workspace.name },
      detail: { kind: 'cli', lockId: info.ID, operation: info.Operation },
    })
    return undefined
  })
}
