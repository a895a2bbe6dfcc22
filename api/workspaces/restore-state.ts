import type { Tenant } from '../../store/driver/tenant.ts'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { maxSerial } from '../../domain/workspaces/judge-state-write.ts'
import { withSplitState, type IncomingState } from '../../gateways/states/split-state.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { noteChange } from '../../app/workspaces/note-change.ts'
import { stateVersions, type StateVersion } from '../../store/workspaces/state-versions.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import type { Deps } from '../deps.ts'
import { holdWorkspace } from './hold-workspace.ts'
import { secretsOfWorkspace } from '../../app/workspaces/secrets-of-workspace.ts'
import { keepState } from '../../app/workspaces/keep-state.ts'
import { lockedBy } from './locked-by.ts'
import { inParts, piecesOf } from '../../app/workspaces/state-in-parts.ts'

export type Restore = {
  id: number
  serial: number
  /** Which lineage is meant if several have the serial; by default the newest one. */
  lineage?: string | undefined
  newLineage?: boolean | undefined
}

/**
 * Makes an old state current again, as a new version with the next serial of the current lineage;
 * nothing is deleted. With a new lineage it gets serial 1, which is the way out of a serial with no
 * room above it. The old state is split under its new serial before the workspace is locked, so this
 * is repeated if another version was written meanwhile.
 */
export async function restoreState(
  deps: Deps,
  caller: Caller,
  { id, serial, lineage, newLineage = false }: Restore,
): Promise<StateVersion> {
  const { organizationId } = caller
  // Read once: after another restore with a new lineage the serial could name another version.
  const old = await deps.store.tenant(organizationId, async (tenant) =>
    stateVersions(tenant).bySerial(id, serial, lineage),
  )
  const version = await inParts(deps, { organizationId, version: old })
  for (let attempt = 1; ; attempt += 1) {
    const { current, secrets } = await deps.store.tenant(organizationId, async (tenant) => {
      await assertUnused(tenant, id)
      return {
        current: await stateVersions(tenant).current(id),
        secrets: await secretsOfWorkspace(deps, tenant, { organizationId, workspaceId: id }),
      }
    })
    // The restored version is one of them.
    if (!current) throw new Error('a workspace with a version has no current one')
    const bytes = piecesOf(deps, { organizationId, version })
    const restored = await withSplitState(
      { organizationId, bytes },
      { ...secrets, ...(newLineage ? { serial: 1, lineage: randomUUID() } : next(current)) },
      async (state) => store(deps, caller, { id, from: old, current, state, newLineage }),
    )
    if (restored) return restored
    if (attempt === maxAttempts)
      throw conflict('serial_conflict', 'Others keep writing this state. Try again.')
  }
}

const maxAttempts = 5

function next({ serial, lineage }: StateVersion): { serial: number; lineage: string } {
  if (serial >= maxSerial)
    throw conflict(
      'serial_too_high',
      `The current state has serial ${serial}, and a serial is at most ${maxSerial}. Restore with a new lineage (newLineage): it begins at serial 1.`,
    )
  return { serial: serial + 1, lineage }
}

type Restored = {
  id: number
  from: StateVersion
  /** The version that was current when the state was split. */
  current: StateVersion
  state: IncomingState
  newLineage: boolean
}

/** Undefined if another version became current meanwhile. */
async function store(
  deps: Deps,
  caller: Caller,
  { id, from, current, state, newLineage }: Restored,
): Promise<StateVersion | undefined> {
  return holdWorkspace(deps, { caller, id }, async (tenant, workspace) => {
    await assertUnused(tenant, id)
    const now = await stateVersions(tenant).current(id)
    if (now?.generation !== current.generation || now.serial !== current.serial) return undefined
    const version = await keepState(deps, tenant, {
      state,
      workspaceId: id,
      userId: caller.userId,
      createdBy: caller.email ?? caller.name,
      reason: `restored from serial ${from.serial}${newLineage ? ', with a new lineage' : ''}`,
      generation: current.generation + (newLineage ? 1 : 0),
    })
    const { serial, lineage } = version
    await auditLog(tenant, actorOf(caller)).record('workspace.state_restored', {
      target: { kind: 'workspace', id, label: workspace.name },
      detail: { from: from.serial, fromLineage: from.lineage, serial, lineage, newLineage },
    })
    await noteChange(tenant, caller, { workspaceId: id, what: 'state', effect: 'stale' })
    return version
  })
}

async function assertUnused(tenant: Tenant, id: number): Promise<void> {
  const holder = await workspaceRuns(tenant).holderOfTurn(id)
  if (holder?.phase === 'applying')
    throw conflict('run_in_progress', 'A run is applying to this workspace. Wait for its end.')
  const lock = await workspaceLocks(tenant).find(id)
  if (lock) throw lockedBy(lock)
}
