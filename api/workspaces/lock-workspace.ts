import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from './hold-workspace.ts'
import { lockedBy } from './locked-by.ts'

/** Locks a workspace for a person: nobody, runs included, applies until it is unlocked. */
export async function lockWorkspace(
  deps: Deps,
  caller: Caller,
  { id, reason }: { id: number; reason: string | null },
): Promise<void> {
  await holdWorkspace(deps, { caller, id }, async (tenant, workspace) => {
    const locks = workspaceLocks(tenant)
    const taken = await locks.take({
      workspaceId: id,
      kind: 'user',
      userId: caller.userId,
      label: caller.email ?? caller.name,
      reason,
    })
    if (!taken) {
      const held = await locks.find(id)
      throw held ? lockedBy(held) : new Error('a lock that could not be taken is not there')
    }
    await auditLog(tenant, actorOf(caller)).record('workspace.locked', {
      target: { kind: 'workspace', id, label: workspace.name },
      detail: { kind: 'user', reason },
    })
  })
}
