import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { prices } from '../../store/finops/prices.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { errors, IdParams, NextCursor, Ok, Page } from '../http/schemas.ts'
import { createPrice } from './create-price.ts'
import { deletePrice } from './delete-price.ts'
import { presentPrice } from './present-price.ts'
import { NewPriceBody, PriceAnswer, PriceBody, PriceChangeBody } from './schemas.ts'
import { updatePrice } from './update-price.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) => prices(tenant).get(id)

/** The price book that the cost gate reads. Prices guard runs, so writing them needs `manage_cloud_accounts`. */
export const priceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/finops/prices',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listPrices',
        querystring: Page,
        response: {
          200: Type.Object({ prices: Type.Array(PriceBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) => {
      const after = decodeCursor(cursor, 0)
      const found = await deps.store.tenant(organizationId, async (tenant) =>
        prices(tenant).list(limit + 1, after),
      )
      const { rows, nextCursor } = page(found, limit)
      return { prices: rows.map(presentPrice), nextCursor }
    },
  )

  app.post(
    '/finops/prices',
    {
      config: { access: 'manage_cloud_accounts' },
      schema: {
        operationId: 'createPrice',
        description:
          'monthlyPrice is kept exactly, with at most 12 decimals. validFrom is today (UTC) unless said.',
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
      config: { access: 'manage_cloud_accounts', target },
      schema: {
        operationId: 'updatePrice',
        params: IdParams,
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
      config: { access: 'manage_cloud_accounts', target },
      schema: {
        operationId: 'deletePrice',
        params: IdParams,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      await deletePrice(deps, caller, id)
      return { ok: true as const }
    },
  )
}
