import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { assertMayChangeGuard } from '../../domain/workspaces/guard-denied.ts'
import { judgeStateWrite } from '../../domain/workspaces/judge-state-write.ts'
import type { IncomingState } from '../../gateways/states/split-state.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { noteChange } from '../../app/workspaces/note-change.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { workspaceLocks, type WorkspaceLock } from '../../store/workspaces/workspace-locks.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from './hold-workspace.ts'
import { keepState } from '../../app/workspaces/keep-state.ts'

export type StateWrite = { id: number; state: IncomingState; lockId: string | undefined }

/**
 * A person's tofu writes the state: only under the lock that it holds, and on production only with
 * `manage_cloud_accounts`. Returns the lock that is in the way, if there is one.
 */
export async function writeState(
  deps: Deps,
  caller: Caller,
  { id, state, lockId }: StateWrite,
): Promise<WorkspaceLock | undefined> {
  return holdWorkspace(deps, { caller, id }, async (tenant, workspace) => {
    if (workspace.criticality === 'production')
      assertMayChangeGuard(caller, 'the state of a production workspace')
    const lock = await workspaceLocks(tenant).find(id)
    if (!lock)
      throw conflict(
        'lock_required',
        'A state is written under a lock alone: LOCK first and send its ID (leave out -lock=false).',
      )
    const own = lock.kind === 'cli' && lock.userId === caller.userId && lock.lockId === lockId
    if (!own) return lock

    const versions = stateVersions(tenant)
    if (judgeStateWrite(await versions.current(id), state.header) === 'stored') return undefined
    const version = await keepState(deps, tenant, {
      state,
      workspaceId: id,
      userId: caller.userId,
      createdBy: caller.email ?? caller.name,
    })
    await auditLog(tenant, actorOf(caller)).record('workspace.state_written', {
      target: { kind: 'workspace', id, label: workspace.name },
      detail: { serial: version.serial, lineage: version.lineage },
    })
    await noteChange(tenant, caller, { workspaceId: id, what: 'state', effect: 'stale' })
    return undefined
  })
}
