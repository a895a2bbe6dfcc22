import type { RunCaller } from '../../domain/access/caller.ts'
import { AppError } from '../../domain/errors.ts'
import type { LockInfo } from '../../domain/workspaces/lock-info.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import type { Deps } from '../deps.ts'
import { holdRunWorkspace } from './hold-run-workspace.ts'

/**
 * A run holds its workspace's lock from the moment its apply began, so its own tofu's LOCK
 * only names it, and UNLOCK (no info) only takes the name away. Of two programs of one run
 * the later name counts: what the earlier one still sends is refused.
 */
export async function nameRunLock(
  deps: Deps,
  run: RunCaller,
  info: LockInfo | null,
): Promise<void> {
  const { organizationId, workspaceRunId } = run
  await deps.store.tenant(organizationId, async (db) => {
    if (!(await holdRunWorkspace(db, run)))
      throw new AppError('unauthenticated', 'This run no longer has its workspace.', {
        code: 'fenced',
      })
    const locks = workspaceLocks(db, organizationId)
    if (info) await locks.nameRunLock(workspaceRunId, info.ID, info)
    else await locks.unnameRunLock(workspaceRunId)
  })
}
