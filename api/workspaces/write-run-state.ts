import type { RunCaller } from '../../domain/access/caller.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { judgeStateWrite } from '../../domain/workspaces/judge-state-write.ts'
import type { IncomingState } from '../../gateways/states/split-state.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import type { Db } from '../../store/connect.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import type { Deps } from '../deps.ts'
import { actorOfRunToken, holdRunWorkspace } from './hold-run-workspace.ts'
import { keepState } from './keep-state.ts'

/** So that a run that lost its workspace and keeps retrying cannot fill the store. */
const quarantinedPerRun = 20

/**
 * The apply of a run writes the state. A write that is refused may be the only trace of what was
 * created, so it is first kept as a quarantined version (docs/runs.md, "State").
 */
export async function writeRunState(
  deps: Deps,
  run: RunCaller,
  { state, lockId }: { state: IncomingState; lockId: string | undefined },
): Promise<undefined> {
  const { organizationId } = run
  const { keyring } = deps
  const refusal = await deps.store.tenant(organizationId, async (db) => {
    const refused = await refusalOf(db, run, { state, lockId })
    if (refused instanceof AppError)
      await keepAside({ keyring, db }, run, { state, reason: refused.code })
    else if (refused === 'new') await keep({ keyring, db }, run, state)
    return refused
  })
  if (refusal instanceof AppError) throw refusal
  return undefined
}

async function refusalOf(
  db: Db,
  run: RunCaller,
  { state, lockId }: { state: IncomingState; lockId: string | undefined },
): Promise<AppError | 'new' | 'stored'> {
  const lock = await holdRunWorkspace(db, run)
  if (!lock)
    return conflict('fenced', 'This run no longer has its workspace. The state was kept aside.')
  if (lock.lockId !== null && lock.lockId !== lockId)
    return conflict('lock_mismatch', 'The state was sent under another lock than is held.')
  try {
    const current = await stateVersions(db, run.organizationId).current(run.workspaceId)
    return judgeStateWrite(current, state.header)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

type At = { keyring: Deps['keyring']; db: Db }

async function keep({ keyring, db }: At, run: RunCaller, state: IncomingState): Promise<void> {
  const { organizationId, workspaceId, workspaceRunId } = run
  const { serial, lineage } = state.header
  await keepState({ keyring, db, organizationId }, state, {
    workspaceId,
    workspaceRunId,
    createdBy: `run ${workspaceRunId}`,
  })
  await auditLog(db, organizationId, actorOfRunToken(run)).record('workspace.state_written', {
    target: { kind: 'workspace', id: workspaceId },
    detail: { serial, lineage, runId: workspaceRunId },
  })
}

async function keepAside(
  { keyring, db }: At,
  run: RunCaller,
  { state, reason }: { state: IncomingState; reason: string },
): Promise<void> {
  const { organizationId, workspaceId, workspaceRunId } = run
  const versions = stateVersions(db, organizationId)
  const kept = await versions.quarantinedOfRun(workspaceRunId)
  const { header } = state
  const again = kept.some(({ bodySha256 }) => bodySha256 === header.bodySha256)
  if (again || kept.length >= quarantinedPerRun) return
  await keepState({ keyring, db, organizationId }, state, {
    workspaceId,
    workspaceRunId,
    status: 'quarantined',
    reason,
    createdBy: `run ${workspaceRunId}`,
  })
  await auditLog(db, organizationId, actorOfRunToken(run)).record('workspace.state_quarantined', {
    outcome: 'denied',
    target: { kind: 'workspace', id: workspaceId },
    detail: { serial: header.serial, runId: workspaceRunId, fence: run.fence, reason },
  })
}
