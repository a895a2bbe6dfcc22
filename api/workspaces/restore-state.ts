import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { withSplitState, type IncomingState } from '../../gateways/states/split-state.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Db } from '../../store/connect.ts'
import { workspaceRuns } from '../../store/pipelines/workspace-runs.ts'
import { noteChange } from '../../store/workspaces/note-change.ts'
import { stateVersions, type StateVersion } from '../../store/workspaces/state-versions.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from './hold-workspace.ts'
import { keepState } from './keep-state.ts'
import { lockedBy } from './locked-by.ts'
import { inParts, piecesOf } from './read-state.ts'

/**
 * Makes an old state the current one again, as a new version under the next serial: nothing is taken
 * back. The old one is split under the new serial before the workspace is held, so it is done again
 * where somebody wrote meanwhile.
 */
export async function restoreState(
  deps: Deps,
  caller: Caller,
  { id, serial }: { id: number; serial: number },
): Promise<StateVersion> {
  const { organizationId } = caller
  for (let attempt = 1; ; attempt += 1) {
    const { old, next } = await deps.store.tenant(organizationId, async (db) => {
      const versions = stateVersions(db, organizationId)
      const current = await versions.current(id)
      await assertUnused(db, organizationId, id)
      return {
        old: await versions.bySerial(id, serial),
        next: (current?.serial ?? serial) + 1,
      }
    })
    const version = await inParts(deps, { organizationId, version: old })
    const bytes = piecesOf(deps, { organizationId, version })
    const restored = await withSplitState(
      { organizationId, bytes },
      { serial: next },
      async (state) => store(deps, caller, { id, from: serial, state }),
    )
    if (restored) return restored
    if (attempt === maxAttempts)
      throw conflict('serial_conflict', 'Others keep writing this state. Try again.')
  }
}

const maxAttempts = 5

type Restored = { id: number; from: number; state: IncomingState }

/** Undefined where another version has become the current one meanwhile. */
async function store(
  deps: Deps,
  caller: Caller,
  { id, from, state }: Restored,
): Promise<StateVersion | undefined> {
  const { organizationId } = caller
  return holdWorkspace(deps, { caller, id }, async (db, workspace) => {
    await assertUnused(db, organizationId, id)
    const current = await stateVersions(db, organizationId).current(id)
    if (current && current.serial + 1 !== state.header.serial) return undefined
    const version = await keepState({ keyring: deps.keyring, db, organizationId }, state, {
      workspaceId: id,
      userId: caller.userId,
      createdBy: caller.email ?? caller.name,
      reason: `restored from serial ${from}`,
    })
    await auditLog(db, organizationId, actorOf(caller)).record('workspace.state_restored', {
      target: { kind: 'workspace', id, label: workspace.name },
      detail: { from, serial: version.serial },
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
