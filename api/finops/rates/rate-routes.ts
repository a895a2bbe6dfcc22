import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { exchangeRates, type ExchangeRate } from '../../../store/finops/exchange-rates.ts'
import { decodeCursor, page } from '../../http/paging.ts'
import { errors, IdParams, NextCursor, NoQuery, Ok, Page } from '../../http/schemas.ts'
import { deleteRate, putRate } from './change-rates.ts'
import { NewRateBody, RateBody } from './schemas.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  exchangeRates(tenant).get(id)
const mayWrite = { access: 'manage_cloud_accounts', denialEvent: 'cloud.rbac_denied' } as const

const RatePage = Type.Object({ rates: Type.Array(RateBody), nextCursor: NextCursor })

/** Exchange rates, one a month and pair of currencies. */
export const rateRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/finops/rates',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied' },
      schema: {
        operationId: 'listRates',
        querystring: Type.Object(Page.properties, { additionalProperties: false }),
        response: { 200: RatePage, ...errors() },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) => {
      const found = await deps.store.tenant(organizationId, async (tenant) =>
        exchangeRates(tenant).list(limit + 1, decodeCursor(cursor, 0)),
      )
      const { rows, nextCursor } = page(found, limit)
      return { rates: rows.map(presentRate), nextCursor }
    },
  )

  app.post(
    '/finops/rates',
    {
      config: mayWrite,
      schema: {
        operationId: 'setRate',
        description:
          'One unit of base is rate units of quote in the bills of the month. Bills in base are shown where quote is the organization’s currency. Takes the place of the month’s rate of the same pair.',
        querystring: NoQuery,
        body: NewRateBody,
        response: { 201: Type.Object({ ok: Type.Literal(true), rate: RateBody }), ...errors() },
      },
    },
    async ({ caller, body }, reply) => {
      const rate = await putRate(deps, caller, body)
      return reply.status(201).send({ ok: true, rate: presentRate(rate) })
    },
  )

  app.delete(
    '/finops/rates/:id',
    {
      config: { ...mayWrite, target },
      schema: {
        operationId: 'deleteRate',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      await deleteRate(deps, caller, id)
      return { ok: true as const }
    },
  )
}

const presentRate = ({ rate, createdAt, updatedAt, ...of }: ExchangeRate): RateBody => ({
  ...of,
  rate: Number(rate),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})
