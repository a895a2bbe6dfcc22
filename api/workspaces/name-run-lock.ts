import type { RunCaller } from '../../domain/access/caller.ts'
import { AppError } from '../../domain/errors.ts'
import type { LockInfo } from '../../domain/workspaces/lock-info.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import type { Deps } from '../deps.ts'
import { holdRunWorkspace } from './hold-run-workspace.ts'

/**
 * A run holds its workspace's lock since its apply began. LOCK of its own tofu only sets the lock's
 * id, and UNLOCK (without info) only removes it. Of two programs of one run the later id counts, and
 * requests with the earlier one are refused.
 */
export async function nameRunLock(
  deps: Deps,
  run: RunCaller,
  info: LockInfo | null,
): Promise<void> {
  const { organizationId, workspaceRunId } = run
  await deps.store.tenant(organizationId, async (tenant) => {
    if (!(await holdRunWorkspace(tenant, run)))
      throw new AppError('unauthenticated', 'This run no longer has its workspace.', {
        code: 'fenced',
      })
    const locks = workspaceLocks(tenant)
    if (info) await locks.nameRunLock(workspaceRunId, info.ID, info)
    else await locks.unnameRunLock(workspaceRunId)
  })
}
