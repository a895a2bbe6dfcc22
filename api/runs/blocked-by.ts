import type { Tenant } from '../../store/driver/tenant.ts'
import { labelOfPerson } from '../../domain/access/label-of-person.ts'
import { lowestRole } from '../../domain/access/roles.ts'
import { originInWords } from '../../domain/runs/run-origin.ts'
import { unseenInWords } from '../../domain/runs/unseen-because.ts'
import { isTerminal, isWaitingForApproval } from '../../domain/runs/run-state.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { turnHolders, type RunView, type TurnHolder } from '../../store/runs/run-views.ts'
import type { ApplicationRun } from '../../store/runs/application-runs.ts'
import { users } from '../../store/users/users.ts'
import { waitsForPerson, type ShownRelease } from './read-releases.ts'
import type { RunBody } from './schemas.ts'

/** A running worker picks up a run within milliseconds. After this time Temporal or the workers are missing. */
const pickUpMs = 10_000

type BlockedBy = RunBody['blockedBy']

/** What the answers for a page of runs need beside the runs, each read once for the page. */
type Around = {
  /** The people who could approve each run that waits for an approval. */
  eligible: Map<number, string[]>
  holders: readonly TurnHolder[]
  operators: string[]
  forcers: string[]
}

/** Why each run does not move, who holds it back, and who can act (docs/runs.md, "States"). */
export async function blockedBy(
  tenant: Tenant,
  views: readonly RunView[],
): Promise<Map<number, BlockedBy>> {
  const around = await readAround(tenant, views)
  return new Map(views.map((view) => [view.id, blockOf(view, around)]))
}

/** The statements are independent and sent together: their number does not grow with the page. */
async function readAround(tenant: Tenant, views: readonly RunView[]): Promise<Around> {
  const waiting = views.filter(({ phase }) => isWaitingForApproval(phase)).map(({ id }) => id)
  const queued = views.filter((view) => view.phase === 'queued' && !lockOf(view))
  const turns = queued.filter(({ kind }) => kind === 'apply').map((view) => view.workspaceId)
  const [able, holders, operators, forcers] = await Promise.all([
    approvers(tenant).eligibleOf(waiting),
    turnHolders(tenant, [...new Set(turns)]),
    queued.length > 0 ? people(tenant, 'mutate_infra') : [],
    views.some(lockOf) ? people(tenant, 'manage_cloud_accounts') : [],
  ])
  const eligible = new Map(
    waiting.map((id) => [
      id,
      able.filter(({ workspaceRunId }) => workspaceRunId === id).map(labelOfPerson),
    ]),
  )
  return { eligible, holders, operators, forcers }
}

/** The lock that holds this run back, if one does. */
function lockOf({ phase, lock, id }: RunView): RunView['lock'] {
  if (phase === 'queued') return lock?.kind === 'run' ? null : lock
  if (phase === 'apply_queued') return lock?.workspaceRunId === id ? null : lock
  return null
}

function blockOf(view: RunView, { eligible, holders, operators, forcers }: Around): BlockedBy {
  const since = (view.startedAt ?? view.createdAt).toISOString()
  const lock = lockOf(view)
  if (lock)
    return {
      kind: 'user_lock',
      id: view.workspaceId,
      holder: lock.label,
      reason: lock.reason,
      since: new Date(lock.since).toISOString(),
      whoCanAct: [...new Set([lock.label, ...forcers])],
    }
  switch (view.phase) {
    case 'queued':
      return queuedBecause(view, holders, operators)
    case 'planning':
      return waitsForSlot(view) ?? notPickedUp(view)
    case 'apply_queued':
      return waitsForSlot(view)
    case 'awaiting_plan_approval': {
      const whoCanAct = eligible.get(view.id) ?? []
      const reason = unseenInWords(view.unseenBecause ?? 'files', view.version.number)
      return { kind: 'approval', id: view.id, holder: null, reason, since, whoCanAct }
    }
    case 'awaiting_approval': {
      const whoCanAct = eligible.get(view.id) ?? []
      return { kind: 'approval', id: view.id, holder: null, reason: null, since, whoCanAct }
    }
    default:
      return null
  }
}

function queuedBecause(
  { workspaceId, kind, createdAt }: RunView,
  holders: readonly TurnHolder[],
  operators: string[],
): BlockedBy {
  const holder = holders.find((other) => other.workspaceId === workspaceId)
  if (holder && kind === 'apply') {
    const { id, author, origin } = holder
    return {
      kind: 'turn',
      id,
      holder: author ? labelOfPerson(author) : origin === 'person' ? null : originInWords[origin],
      reason: null,
      since: (holder.startedAt ?? holder.createdAt).toISOString(),
      whoCanAct: operators,
    }
  }
  return {
    kind: 'capacity',
    id: null,
    holder: null,
    reason: null,
    since: createdAt.toISOString(),
    whoCanAct: operators,
  }
}

/** Other runs of the organization hold its share of the workers' slots. */
function waitsForSlot({ waitsForSlotSince }: Pick<RunView, 'waitsForSlotSince'>): BlockedBy {
  if (!waitsForSlotSince) return null
  return {
    kind: 'capacity',
    id: null,
    holder: null,
    reason: null,
    since: waitsForSlotSince.toISOString(),
    whoCanAct: [],
  }
}

/** Why a run of an application does not move, and who can act. */
export function blockOfApplication(
  run: ApplicationRun,
  { approvers: whoCanAct, confirmStep, agentsOf, waitsWith }: ShownRelease,
): BlockedBy {
  const since = (run.startedAt ?? run.createdAt).toISOString()
  const block = { id: null, holder: null, reason: null, since, whoCanAct: [] }
  if (waitsForPerson(run, { confirmStep }))
    return { ...block, kind: 'approval', id: run.id, whoCanAct }
  if (waitsWith)
    return {
      ...block,
      kind: 'approval',
      id: waitsWith.workspaceRunId,
      whoCanAct: waitsWith.whoCanAct,
    }
  if (agentsOf) return { ...block, kind: 'agent', id: run.targetWorkspaceId, whoCanAct: agentsOf }
  if (isTerminal(run.phase) || run.phase === 'deploying' || run.phase === 'rolling_back')
    return null
  // Another run of its pipeline deploys.
  if (run.phase === 'deploy_queued') return { ...block, kind: 'turn' }
  return (
    waitsForSlot(run) ??
    notPickedUp(run) ??
    (run.phase === 'queued' ? { ...block, kind: 'capacity' } : null)
  )
}

function notPickedUp(run: Pick<RunView, 'startedAt' | 'createdAt' | 'engineRunId'>): BlockedBy {
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
    signedIn: true,
    limit: 20,
  })
  return able.map(labelOfPerson)
}
