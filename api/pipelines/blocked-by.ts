import type { Tenant } from '../../store/driver/tenant.ts'
import { labelOfPerson } from '../../domain/access/label-of-person.ts'
import { lowestRole } from '../../domain/access/roles.ts'
import { approvers } from '../../store/pipelines/approvers.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/pipelines/workspace-runs.ts'
import { users } from '../../store/users/users.ts'
import { workspaceLocks, type WorkspaceLock } from '../../store/workspaces/workspace-locks.ts'
import type { RunBody } from './schemas.ts'

/** A running worker picks up a run within milliseconds. After this time Temporal or the workers are missing. */
const pickUpMs = 10_000

/** Why a run does not move, who holds it back, and who can act (docs/runs.md, "States"). */
export async function blockedBy(tenant: Tenant, run: WorkspaceRun): Promise<RunBody['blockedBy']> {
  switch (run.phase) {
    case 'queued':
      return queuedBecause(tenant, run)
    case 'planning':
      return notPickedUp(run)
    case 'awaiting_plan_approval':
    case 'awaiting_approval': {
      const able = await users(tenant).listByIds(await approvers(tenant).eligibleIds(run.id))
      return {
        kind: 'approval',
        id: run.id,
        holder: null,
        reason: null,
        since: (run.startedAt ?? run.createdAt).toISOString(),
        whoCanAct: able.toSorted((one, other) => one.id - other.id).map(labelOfPerson),
      }
    }
    case 'apply_queued': {
      const lock = await workspaceLocks(tenant).find(run.workspaceId)
      return lock && lock.workspaceRunId !== run.id ? heldBy(tenant, lock) : null
    }
    default:
      return null
  }
}

async function queuedBecause(tenant: Tenant, run: WorkspaceRun): Promise<RunBody['blockedBy']> {
  const lock = await workspaceLocks(tenant).find(run.workspaceId)
  if (lock && lock.kind !== 'run') return heldBy(tenant, lock)
  const holder = await workspaceRuns(tenant).holderOfTurn(run.workspaceId)
  const able = await people(tenant, 'mutate_infra')
  if (holder && run.kind === 'apply') {
    const [author] =
      holder.authorUserId === null ? [] : await users(tenant).listByIds([holder.authorUserId])
    return {
      kind: 'turn',
      id: holder.id,
      holder: author ? labelOfPerson(author) : holder.authorUserId === null ? 'a push' : null,
      reason: null,
      since: (holder.startedAt ?? holder.createdAt).toISOString(),
      whoCanAct: able,
    }
  }
  return {
    kind: 'capacity',
    id: null,
    holder: null,
    reason: null,
    since: run.createdAt.toISOString(),
    whoCanAct: able,
  }
}

async function heldBy(tenant: Tenant, lock: WorkspaceLock): Promise<RunBody['blockedBy']> {
  const forcers = await people(tenant, 'manage_cloud_accounts')
  return {
    kind: 'user_lock',
    id: lock.workspaceId,
    holder: lock.label,
    reason: lock.reason,
    since: lock.since.toISOString(),
    whoCanAct: [...new Set([lock.label, ...forcers])],
  }
}

function notPickedUp(run: WorkspaceRun): RunBody['blockedBy'] {
  const since = run.startedAt ?? run.createdAt
  if (run.engineRunId !== null || Date.now() - since.getTime() < pickUpMs) return null
  return {
    kind: 'engine',
    id: null,
    holder: null,
    reason: null,
    since: since.toISOString(),
    whoCanAct: [],
  }
}

async function people(
  tenant: Tenant,
  capability: 'mutate_infra' | 'manage_cloud_accounts',
): Promise<string[]> {
  const able = await users(tenant).listAble({
    lowest: lowestRole[capability],
    platformAdmins: true,
    limit: 20,
  })
  return able.map(labelOfPerson)
}
