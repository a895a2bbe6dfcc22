import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { withSerial } from '../../domain/workspaces/with-serial.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Db } from '../../store/connect.ts'
import { workspaceRuns } from '../../store/pipelines/workspace-runs.ts'
import { noteChange } from '../../store/workspaces/note-change.ts'
import { stateVersions, type StateVersion } from '../../store/workspaces/state-versions.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from './hold-workspace.ts'
import { lockedBy } from './locked-by.ts'
import { readState } from './read-state.ts'
import { sealState } from './seal-state.ts'

/** Makes an old state the current one again, as a new version under the next serial: nothing is taken back. */
export async function restoreState(
  deps: Deps,
  caller: Caller,
  { id, serial }: { id: number; serial: number },
): Promise<StateVersion> {
  const { organizationId } = caller
  return holdWorkspace(deps, { caller, id }, async (db, workspace) => {
    const versions = stateVersions(db, organizationId)
    const old = await versions.bySerial(id, serial)
    await assertUnused(db, organizationId, id)
    const current = await versions.current(id)
    const state = await readState(deps, db, { organizationId, workspaceId: id, version: old })
    const text = state?.body.toString() ?? ''
    const body = Buffer.from(withSerial(text, (current?.serial ?? serial) + 1))
    const version = await versions.create({
      workspaceId: id,
      userId: caller.userId,
      createdBy: caller.email ?? caller.name,
      reason: `restored from serial ${serial}`,
      ...sealState(deps.keyring, organizationId, body).columns,
    })
    await auditLog(db, organizationId, actorOf(caller)).record('workspace.state_restored', {
      target: { kind: 'workspace', id, label: workspace.name },
      detail: { from: serial, serial: version.serial },
    })
    await noteChange(db, caller, { workspaceId: id, what: 'state', effect: 'stale' })
    return version
  })
}

async function assertUnused(db: Db, organizationId: number, id: number): Promise<void> {
  const holder = await workspaceRuns(db, organizationId).holderOfTurn(id)
  if (holder?.phase === 'applying')
    throw conflict('run_in_progress', 'A run is applying to this workspace. Wait for its end.')
  const lock = await workspaceLocks(db, organizationId).find(id)
  if (lock) throw lockedBy(lock)
}
