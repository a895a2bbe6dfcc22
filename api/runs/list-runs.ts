import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { endOf } from '../../domain/runs/run-outcome.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { listedRuns, type ListedRun, type RunFilter } from '../../store/runs/listed-runs.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { labelsIn } from '../http/labels.ts'
import { parseMoment } from '../http/parse-moment.ts'
import { decodeCursor, maxKey, page } from '../http/paging.ts'
import type { Deps } from '../deps.ts'
import { applicationPhasesOfStates, phasesOfStates } from './phases-of-states.ts'
import { presentRuns } from './present-runs.ts'
import type { ListedRunBody, RunQuery } from './list-schemas.ts'

type Answer = { runs: ListedRunBody[]; nextCursor: string | null }

/** The runs of all workspaces and applications, newest first unless asked otherwise. */
export async function listRuns(
  deps: Deps,
  caller: Caller,
  query: Static<typeof RunQuery>,
): Promise<Answer> {
  const { limit = 50, cursor, sort } = query
  const order = sort === 'createdAt' ? 'asc' : 'desc'
  return deps.store.reading(caller.organizationId, async (tenant) => {
    const start = order === 'asc' ? 0 : maxKey
    const found = await listedRuns(tenant, await filterOf(tenant, caller, query), {
      limit: limit + 1,
      cursor: decodeCursor(cursor, start),
      order,
    })
    const { rows, nextCursor } = page(found, limit)
    const runs = await presentRuns(tenant, caller, {
      places: rows.map(({ id, number, isOfApplication }) => ({
        id,
        number,
        workspaceRunId: isOfApplication ? null : id,
      })),
    })
    return {
      runs: runs.flatMap((run) => {
        const row = rows.find(({ id }) => id === run.id)
        return row ? { ...run, ...presentPlace(row) } : []
      }),
      nextCursor,
    }
  })
}

const presentPlace = ({
  pipelineId,
  pipelineName,
  workspaceId,
  workspaceName,
  criticality,
}: ListedRun): Pick<ListedRunBody, 'pipelineId' | 'pipeline' | 'workspace'> => ({
  pipelineId,
  pipeline:
    pipelineId === null || pipelineName === null ? null : { id: pipelineId, name: pipelineName },
  workspace:
    workspaceId === null || workspaceName === null || criticality === null
      ? null
      : { id: workspaceId, name: workspaceName, criticality },
})

async function filterOf(
  tenant: Tenant,
  caller: Caller,
  query: Static<typeof RunQuery>,
): Promise<RunFilter> {
  const { from, to, endedFrom } = query
  return {
    ...phasesOf(query),
    reasons: query.reason,
    outcomes: query.outcome,
    kinds: query.kind?.flatMap((kind) => (kind === 'infrastructure' ? ['apply', 'plan'] : kind)),
    origins: query.origin,
    workspaceIds: query.workspaceId,
    pipelineIds: query.pipelineId,
    authorIds: query.author,
    labels: labelsIn(query.label),
    from: from === undefined ? undefined : parseMoment('from', from),
    to: to === undefined ? undefined : parseMoment('to', to),
    endedFrom: endedFrom === undefined ? undefined : parseMoment('endedFrom', endedFrom),
    q: query.q,
    approver: query.mine ? await approvers(tenant).of(caller) : undefined,
  }
}

/** The stored phases of the public states that are asked for. Undefined: all. */
function phasesOf({
  state: states,
  outcome,
  awaitingApproval,
  mine,
}: Static<typeof RunQuery>): Pick<RunFilter, 'phases' | 'applicationPhases' | 'isWaiting'> {
  if (!states && !outcome && awaitingApproval === undefined && !mine) return {}
  // Each filter by itself: what is mine waits, so that there is nothing of mine that does not.
  if (mine && awaitingApproval === false) return { phases: [], applicationPhases: [] }
  const isWaiting = mine ? true : awaitingApproval
  // The phases of outcomes are said too, since an index has them.
  const ends = outcome?.flatMap((one): readonly string[] => endOf(one).phases)
  const isAsked = (phase: string) => !ends || ends.includes(phase)
  return {
    phases: phasesOfStates(states, isWaiting).filter(isAsked),
    applicationPhases: applicationPhasesOfStates(states, isWaiting).filter(isAsked),
    isWaiting,
  }
}
