import type { Tenant } from '../../store/driver/tenant.ts'
import type { RunCaller } from '../../domain/access/caller.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { judgeStateWrite } from '../../domain/workspaces/judge-state-write.ts'
import type { IncomingState } from '../../gateways/states/split-state.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import type { Deps } from '../deps.ts'
import { actorOfRunToken, holdRunWorkspace } from './hold-run-workspace.ts'
import { keepState } from '../../app/workspaces/keep-state.ts'

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
  const refusal = await deps.store.tenant(organizationId, async (tenant) => {
    const refused = await refusalOf(tenant, run, { state, lockId })
    if (refused instanceof AppError)
      await keepAside(deps, tenant, { run, state, reason: refused.code })
    else if (refused === 'new') await keep(deps, tenant, { run, state })
    return refused
  })
  if (refusal instanceof AppError) throw refusal
  return undefined
}

async function refusalOf(
  tenant: Tenant,
  run: RunCaller,
  { state, lockId }: { state: IncomingState; lockId: string | undefined },
): Promise<AppError | 'new' | 'stored'> {
  const lock = await holdRunWorkspace(tenant, run)
  if (!lock)
    return conflict('fenced', 'This run no longer has its workspace. The state was kept aside.')
  if (lock.lockId !== null && lock.lockId !== lockId)
    return conflict('lock_mismatch', 'The state was sent under another lock than is held.')
  try {
    const current = await stateVersions(tenant).current(run.workspaceId)
    return judgeStateWrite(current, state.header)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

type Sent = { run: RunCaller; state: IncomingState }

async function keep(deps: Deps, tenant: Tenant, { run, state }: Sent): Promise<void> {
  const { workspaceId, workspaceRunId } = run
  const { serial, lineage } = state.header
  await keepState(deps, tenant, {
    state,
    workspaceId,
    workspaceRunId,
    createdBy: `run ${workspaceRunId}`,
  })
  await auditLog(tenant, actorOfRunToken(run)).record('workspace.state_written', {
    target: { kind: 'workspace', id: workspaceId },
    detail: { serial, lineage, runId: workspaceRunId },
  })
}

async function keepAside(
  deps: Deps,
  tenant: Tenant,
  { run, state, reason }: Sent & { reason: string },
): Promise<void> {
  const { workspaceId, workspaceRunId } = run
  const versions = stateVersions(tenant)
  const kept = await versions.quarantinedOfRun(workspaceRunId)
  const { header } = state
  const again = kept.some(({ bodySha256 }) => bodySha256 === header.bodySha256)
  if (again || kept.length >= quarantinedPerRun) return
  await keepState(deps, tenant, {
    state,
    workspaceId,
    workspaceRunId,
    status: 'quarantined',
    reason,
    createdBy: `run ${workspaceRunId}`,
  })
  await auditLog(tenant, actorOfRunToken(run)).record('workspace.state_quarantined', {
    outcome: 'denied',
    target: { kind: 'workspace', id: workspaceId },
    detail: { serial: header.serial, runId: workspaceRunId, fence: run.fence, reason },
  })
}
