import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import { importBlock } from '../../../domain/clouds/import-blocks.ts'
import type { Deps } from '../../deps.ts'
import {
  unmanagedResources,
  type UnmanagedKey,
  type UnmanagedResource,
} from '../../../store/finops/cost/unmanaged-resources.ts'
import { repeatedFilters } from '../../http/repeated-filters.ts'
import { errors } from '../../http/schemas.ts'
import { readOf, readQuery, readStand } from './read-cost.ts'
import { readUntagged } from './read-untagged.ts'
import { UnmanagedBody, UnmanagedQuery, type UnmanagedResourceBody } from './unmanaged-schemas.ts'

/** What is paid for and no workspace holds. */
export const unmanagedRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/finops/unmanaged',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied' },
      preValidation: repeatedFilters,
      schema: {
        operationId: 'listUnmanagedCost',
        description:
          'Cost of resources on the days on which no workspace held them, dearest first, with the window and filters of the payload. untagged is on the first page: the cost without a tag, by key, and of one key (tagKey, else that of the settings, else the one on most cost) by service and owner. importBlock: OpenTofu’s block that takes the resource over, or a comment where its type has no rule. A window with too many charges is 400 window_too_large.',
        querystring: UnmanagedQuery,
        response: { 200: UnmanagedBody, ...errors() },
      },
    },
    async ({ caller: { organizationId }, query }) => list(app.deps, organizationId, query),
  )
}

async function list(
  { store }: Pick<Deps, 'store'>,
  organizationId: number,
  { limit = 50, cursor, ...asked }: Static<typeof UnmanagedQuery>,
): Promise<UnmanagedBody> {
  const query = readQuery(asked)
  const stand = await readStand(store, organizationId, query)
  const found = await store.tenant(organizationId, async (tenant) =>
    unmanagedResources(tenant, readOf(organizationId, stand, query), {
      limit,
      after: cursor === undefined ? undefined : keyOf(cursor),
    }),
  )
  // Of the whole window: once, and not with each page.
  const untagged =
    cursor === undefined &&
    (await store.tenant(organizationId, async (tenant) =>
      readUntagged(tenant, readOf(organizationId, stand, query)),
    ))
  const last = found.hasMore ? found.resources.at(-1) : undefined
  return {
    currency: stand.currency,
    basis: query.basis,
    from: query.from,
    to: query.to,
    total: Number(found.total),
    unconverted: found.unconverted.map(({ currency, amount }) => ({
      currency,
      amount: Number(amount),
    })),
    ...(untagged && { untagged }),
    resources: found.resources.map(present),
    nextCursor: last ? `${last.amount}_${last.key.replaceAll('-', '')}` : null,
  }
}

/** A cursor is the last amount and key of a page, so no resource is repeated. */
function keyOf(cursor: string): UnmanagedKey {
  const [amount = '', key = ''] = cursor.split('_')
  return { amount, key }
}

function present({
  key: _,
  listedId,
  isListed,
  ...resource
}: UnmanagedResource): UnmanagedResourceBody {
  const { provider, name, region } = resource
  const block = importBlock({ provider, cloudId: listedId, name: name ?? '', region: region ?? '' })
  return {
    ...resource,
    seenIn: isListed ? ['inventory', 'bill'] : ['bill'],
    tags: resource.tags ?? {},
    amount: Number(resource.amount),
    importBlock: block,
  }
}
