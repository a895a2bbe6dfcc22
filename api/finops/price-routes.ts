import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { learnedPrices } from '../../store/finops/learned-prices.ts'
import { prices } from '../../store/finops/prices.ts'
import { manageAccounts } from '../clouds/account-target.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { errors, IdParams, NextCursor, NoQuery, Ok, Page } from '../http/schemas.ts'
import { createPrice } from './create-price.ts'
import { deletePrice } from './delete-price.ts'
import { presentPrice, presentUnpriced } from './present-price.ts'
import { NewPriceBody, PriceAnswer, PriceBody, PriceChangeBody, UnpricedBody } from './schemas.ts'
import { updatePrice } from './update-price.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) => prices(tenant).get(id)

/** The price book that the cost gate reads. Prices guard runs, so writing them needs `manage_cloud_accounts`. */
export const priceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/finops/prices',
    {
      config: { access: 'read', denialEvent: manageAccounts.denialEvent },
      schema: {
        operationId: 'listPrices',
        querystring: Type.Object(Page.properties, { additionalProperties: false }),
        response: {
          200: Type.Object({ prices: Type.Array(PriceBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) => {
      const after = decodeCursor(cursor, 0)
      const { prices: shown, hasMore } = await deps.store.tenant(organizationId, async (tenant) =>
        prices(tenant).page(limit, after),
      )
      const last = hasMore ? shown.at(-1) : undefined
      return { prices: shown.map(presentPrice), nextCursor: last ? String(last.id) : null }
    },
  )

  app.get(
    '/finops/prices/unpriced',
    {
      config: { access: 'read', denialEvent: manageAccounts.denialEvent },
      schema: {
        operationId: 'listUnpricedResources',
        description:
          'Resources of workspaces that are on the bills, and for which no price could be learned. `no_stable_price`: they or their weeks differ by more than 25 %, as what is paid by use does.',
        querystring: Type.Object(Page.properties, { additionalProperties: false }),
        response: {
          200: Type.Object({ unpriced: Type.Array(UnpricedBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) => {
      const after = decodeCursor(cursor, 0)
      const found = await deps.store.tenant(organizationId, async (tenant) =>
        learnedPrices(tenant).unlearned(limit + 1, after),
      )
      const { rows, nextCursor } = page(found, limit)
      return { unpriced: rows.map(presentUnpriced), nextCursor }
    },
  )

  app.post(
    '/finops/prices',
    {
      config: manageAccounts,
      schema: {
        operationId: 'createPrice',
        description:
          'monthlyPrice is kept exactly, with at most 12 decimals. validFrom is today (UTC) unless said.',
        querystring: NoQuery,
        body: NewPriceBody,
        response: { 201: PriceAnswer, ...errors() },
      },
    },
    async ({ caller, body }, reply) => {
      const price = await createPrice(deps, caller, body)
      return reply.status(201).send({ ok: true, price: presentPrice(price) })
    },
  )

  app.patch(
    '/finops/prices/:id',
    {
      config: { ...manageAccounts, target },
      schema: {
        operationId: 'updatePrice',
        description:
          'A price of the bill can be switched off and on by `enabled`. Any other change makes it a price of its own, which stands above those of the bill.',
        params: IdParams,
        querystring: NoQuery,
        body: PriceChangeBody,
        response: { 200: PriceAnswer, ...errors() },
      },
    },
    async ({ caller, params: { id }, body }) => {
      const price = await updatePrice(deps, caller, { id, change: body })
      return { ok: true as const, price: presentPrice(price) }
    },
  )

  app.delete(
    '/finops/prices/:id',
    {
      config: { ...manageAccounts, target },
      schema: {
        operationId: 'deletePrice',
        description:
          'A price of the bill comes back with the next bill: switch it off by `enabled` instead.',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      await deletePrice(deps, caller, id)
      return { ok: true as const }
    },
  )
}
