import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { isTerminal } from '../../domain/runs/run-state.ts'
import { assertMayChangeGuard } from '../../domain/workspaces/guard-denied.ts'
import { lockIdOf } from '../../domain/workspaces/lock-info.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { noteChange } from '../../app/workspaces/note-change.ts'
import { releaseLock } from '../../app/workspaces/release-lock.ts'
import { workspaceLocks, type WorkspaceLock } from '../../store/workspaces/workspace-locks.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from './hold-workspace.ts'
import { lockedBy } from './locked-by.ts'

/**
 * Releases one's own lock, or with `force` and the right to it another person's. OpenTofu names the
 * lock by `lockId`, both at its own end and for `tofu force-unlock`. A lock that is already released
 * is no error there, because the answer may have been lost.
 */
export async function unlockWorkspace(
  deps: Deps,
  caller: Caller,
  { id, lockId, force }: { id: number; lockId?: string; force: boolean },
): Promise<void> {
  await holdWorkspace(deps, { caller, id }, async (tenant, workspace) => {
    const lock = await workspaceLocks(tenant).find(id)
    if (!lock && lockId !== undefined) return
    if (!lock) throw conflict('not_locked', 'The workspace is not locked.')
    if (lockId !== undefined && lockId !== lockIdOf(lock))
      throw conflict('lock_mismatch', `Another lock is held: ${lockedBy(lock).message}`)
    await assertNoLiveRun(tenant, lock)
    const forced = lock.userId !== caller.userId
    if (forced && !force) throw lockedBy(lock)
    if (forced) assertMayChangeGuard(caller, `the lock of ${lock.label}`)

    await releaseLock(tenant, id)
    await auditLog(tenant, actorOf(caller)).record('workspace.unlocked', {
      target: { kind: 'workspace', id, label: workspace.name },
      detail: { kind: lock.kind, holder: lock.label, since: lock.since.toISOString(), forced },
    })
    if (forced) await noteChange(tenant, caller, { workspaceId: id, what: 'lock', effect: 'guard' })
  })
}

/** A run's lock ends with its run. Released before, two applies could write one state. */
async function assertNoLiveRun(tenant: Tenant, lock: WorkspaceLock) {
  if (lock.kind !== 'run' || lock.workspaceRunId === null) return
  const { phase } = await workspaceRuns(tenant).get(lock.workspaceRunId)
  if (isTerminal(phase)) return
  throw conflict(
    'run_in_progress',
    `${lock.label} holds the lock until it ends. Cancel the run instead.`,
  )
}
