import type { Caller } from '../../domain/access/caller.ts'
import { invalid } from '../../domain/errors.ts'
import {
  listedWorkspaces,
  type ListedWorkspace,
  type WorkspaceFilter,
  type WorkspaceOrder,
} from '../../store/workspaces/listed-workspaces.ts'
import { labelsIn } from '../http/labels.ts'
import { maxKey } from '../http/paging.ts'
import { phasesOfStates } from '../runs/phases-of-states.ts'
import type { Deps } from '../deps.ts'
import { presentWorkspaces } from './present-workspaces.ts'
import type { ListOrder, WorkspaceQuery } from './list-schemas.ts'
import type { WorkspaceBody } from './schemas.ts'

/** A page of the workspaces. Its cursor is what its last row is ordered by, so no row is skipped or repeated. */
export async function listWorkspaces(
  deps: Deps,
  { organizationId }: Caller,
  query: WorkspaceQuery,
): Promise<{ workspaces: WorkspaceBody[]; nextCursor: string | null }> {
  const { limit = 50, cursor, sort = 'id' } = query
  const isDescending = sort.startsWith('-')
  // The schema's values are the orders, with and without the sign.
  const { order, encode, decode } = orders[sort.replace('-', '') as ListOrder]
  return deps.store.reading(organizationId, async (tenant) => {
    const found = await listedWorkspaces(tenant, filterOf(query), {
      limit: limit + 1,
      order,
      isDescending,
      ...(cursor !== undefined && { after: keysIn(cursor, decode) }),
    })
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    return {
      workspaces: await presentWorkspaces(tenant, rows),
      nextCursor: found.length > limit && last ? encode(last) : null,
    }
  })
}

type Keys = Array<string | number>
type Order = {
  order: WorkspaceOrder
  encode: (row: ListedWorkspace) => string
  /** The keys, as groups. */
  decode: RegExp
}

const orders: Record<ListOrder, Order> = {
  id: { order: 'id', encode: ({ id }) => String(id), decode: /^(\d+)$/ },
  name: { order: 'name', encode: ({ name }) => name, decode: /^([a-z0-9-]+)$/ },
  criticality: {
    order: 'criticality',
    encode: ({ criticality, name }) => `${criticality}.${name}`,
    decode: /^(standard|production)\.([a-z0-9-]+)$/,
  },
  lastRunAt: {
    order: 'lastRun',
    encode: ({ lastRunId, id }) => `${lastRunId ?? 0}.${id}`,
    decode: /^(\d+)\.(\d+)$/,
  },
}

/** A cursor of another order has no place in this one. */
function keysIn(cursor: string, decode: RegExp): Keys {
  const [, ...keys] = decode.exec(cursor) ?? []
  if (keys.length === 0)
    throw invalid('The page before was in another order. Begin with the first page.', [
      { path: 'cursor', message: 'is not the nextCursor of a page in this order' },
    ])
  return decode.source.includes('d+') ? keys.map((key) => Math.min(Number(key), maxKey)) : keys
}

function filterOf({
  q,
  id,
  criticality,
  label,
  state,
  outcome,
  awaitingApproval,
}: WorkspaceQuery): WorkspaceFilter {
  const isByRun = state !== undefined || outcome !== undefined || awaitingApproval !== undefined
  const states = state?.filter((one) => one !== 'none')
  return {
    q,
    ids: id,
    criticalities: criticality,
    labels: labelsIn(label),
    lastRun: isByRun
      ? {
          phases: phasesOfStates(states, awaitingApproval),
          outcomes: outcome,
          // Without a run, none waits for an approval, and none has ended.
          orNone: state?.includes('none') === true && awaitingApproval !== true && !outcome,
        }
      : undefined,
  }
}
