import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { invalid } from '../../domain/errors.ts'
import { listedPipelines, type PipelineOrder } from '../../store/pipelines/listed-pipelines.ts'
import type { Deps } from '../deps.ts'
import { labelsIn } from '../http/labels.ts'
import { maxKey } from '../http/paging.ts'
import { presentListed } from './present-pipelines.ts'
import type { PipelineBody, PipelineListOrder, PipelineQuery } from './schemas.ts'

type Answer = { pipelines: Array<Static<typeof PipelineBody>>; nextCursor: string | null }

/** A page of the pipelines. Its cursor is what its last row is ordered by, so no row is skipped or repeated. */
export async function listPipelines(
  deps: Deps,
  { organizationId }: Caller,
  query: Static<typeof PipelineQuery>,
): Promise<Answer> {
  const { limit = 50, cursor, sort = 'id', q, managed, label } = query
  // The schema's values are the orders, with and without the sign.
  const { order, types } = orders[sort.replace('-', '') as PipelineListOrder]
  const { rows: listed, found } = await listedPipelines(deps.store, organizationId, {
    filter: { q, managed, labels: labelsIn(label) },
    page: {
      limit: limit + 1,
      order,
      isDescending: sort.startsWith('-'),
      after: cursor === undefined ? undefined : keysIn(cursor, types),
    },
  })
  const rows = listed.slice(0, limit)
  const last = rows.at(-1)
  return {
    pipelines: rows.map(presentListed),
    nextCursor: found > rows.length && last ? encode(last.keys) : null,
  }
}

type Keys = ReadonlyArray<string | number>
type Order = { order: PipelineOrder; types: ReadonlyArray<'string' | 'number'> }

const orders: Record<PipelineListOrder, Order> = {
  id: { order: 'id', types: ['number'] },
  name: { order: 'name', types: ['string', 'number'] },
  criticality: { order: 'criticality', types: ['string', 'string', 'number'] },
  lastRunAt: { order: 'lastRun', types: ['number', 'number'] },
}

/** An order by the id alone has it as it is; another's keys have names of people's choice. */
const encode = (keys: Keys): string =>
  keys.length === 1 ? String(keys[0]) : Buffer.from(JSON.stringify(keys)).toString('base64url')

/** A cursor of another order has no place in this one. */
function keysIn(cursor: string, types: Order['types']): Keys {
  const keys = types.length === 1 ? idIn(cursor) : decode(cursor)
  const isOfOrder =
    keys.length === types.length && keys.every((key, n) => isKey(key) && typeof key === types[n])
  if (!isOfOrder || !keys.every(isKey))
    throw invalid('The page before was in another order. Begin with the first page.', [
      { path: 'cursor', message: 'is not the nextCursor of a page in this order' },
    ])
  return keys
}

const idIn = (cursor: string): unknown[] =>
  /^[0-9]{1,15}$/.test(cursor) ? [Math.min(Number(cursor), maxKey)] : []

/** Numbers within PostgreSQL's, and texts that it can hold. */
const isKey = (key: unknown): key is string | number =>
  typeof key === 'string'
    ? !key.includes('\0') && key.isWellFormed()
    : Number.isSafeInteger(key) && Number(key) >= 0

function decode(cursor: string): unknown[] {
  try {
    const keys: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(keys) ? keys : []
  } catch {
    return []
  }
}
