import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { costUnits } from '../../../store/finops/units/cost-units.ts'
import { errors, IdParams, NoQuery, Ok, Page } from '../../http/schemas.ts'
import { hasAnswer, tagOf } from '../cost/answer-by-version.ts'
import { readQuery, readStand } from '../cost/read-cost.ts'
import { windowFields } from '../cost/schemas.ts'
import { createUnit, deleteUnit, updateUnit } from './change-units.ts'
import { presentUnit } from './present-unit.ts'
import { putUnitValues } from './put-unit-values.ts'
import { listUnits, readUnit } from './read-units.ts'
import {
  NewUnitBody,
  UnitAnswer,
  UnitChangeBody,
  UnitDetail,
  UnitList,
  UnitValuesAnswer,
  UnitValuesBody,
} from './schemas.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  costUnits(tenant).get(id)
/** A missing capability is audited under this name on all routes of cost. */
const mayRead = { access: 'read', denialEvent: 'cloud.rbac_denied' } as const
const mayWrite = { access: 'mutate_infra', denialEvent: 'cloud.rbac_denied' } as const
const NotModified = Type.Null({ description: 'The caller’s answer still holds.' })

/** Units: what cost is divided by, as orders or users. Their values come by these routes alone. */
export const unitRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await app.register(readRoutes)
  await app.register(addRoutes)
  await app.register(changeRoutes)
}

const readRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { store } = app.deps

  app.get(
    '/finops/units',
    {
      config: mayRead,
      schema: {
        operationId: 'listUnits',
        description:
          'Units by id, with the effective cost of each in the newest 30 days, in the organization’s currency.',
        querystring: Type.Object(Page.properties, { additionalProperties: false }),
        response: { 200: UnitList, ...errors() },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) =>
      store.tenant(organizationId, async (tenant) => listUnits(tenant, { limit, cursor })),
  )

  app.get(
    '/finops/units/:id',
    {
      config: { ...mayRead, target },
      schema: {
        operationId: 'getUnit',
        description:
          'The effective cost of each day in the unit’s scope, its value, and the cost divided by it. The window is that of the payload. The ETag changes with the cost version and with the unit.',
        params: IdParams,
        querystring: Type.Object(windowFields, { additionalProperties: false }),
        response: { 200: UnitDetail, 304: NotModified, ...errors() },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.caller
      const query = readQuery(request.query)
      const stand = await readStand(store, organizationId, query)
      const { currency, tagKey } = stand
      const { from, to } = query
      return store.tenant(organizationId, async (tenant) => {
        const unit = await costUnits(tenant).get(request.params.id)
        // Bills stop being expected as days go by.
        const today = new Date().toISOString().slice(0, 10)
        const tag = tagOf('unit', organizationId, stand, unit, from, to, today)
        if (hasAnswer(request, reply, tag)) return reply.status(304).send(null)
        return readUnit(tenant, { unit, currency, tagKey, from, to })
      })
    },
  )
}

const addRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/finops/units',
    {
      config: mayWrite,
      schema: {
        operationId: 'createUnit',
        description: 'The scope is that of a budget. Names may repeat.',
        querystring: NoQuery,
        body: NewUnitBody,
        response: { 201: UnitAnswer, ...errors(409) },
      },
    },
    async ({ caller, body }, reply) => {
      const unit = await createUnit(deps, caller, body)
      return reply.status(201).send({ ok: true, unit: presentUnit(unit) })
    },
  )

  app.put(
    '/finops/units/:id/values',
    {
      // Three of each of 10,000 values.
      config: { ...mayWrite, target, maxMembers: 40_000 },
      schema: {
        operationId: 'putUnitValues',
        description:
          'Sets the values of the days that are named, all or none; other days stay. A value of null removes that of its day. Days are UTC, as those of cost. A unit has values of at most 10,000 days.',
        params: IdParams,
        querystring: NoQuery,
        body: UnitValuesBody,
        response: { 200: UnitValuesAnswer, ...errors(409) },
      },
    },
    async ({ caller, params: { id }, body: { values } }) => {
      const changed = await putUnitValues(deps, caller, { id, values })
      return { ok: true as const, values: values.length, changed }
    },
  )
}

const changeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.patch(
    '/finops/units/:id',
    {
      config: { ...mayWrite, target },
      schema: {
        operationId: 'updateUnit',
        params: IdParams,
        querystring: NoQuery,
        body: UnitChangeBody,
        response: { 200: UnitAnswer, ...errors() },
      },
    },
    async ({ caller, params: { id }, body }) => {
      const unit = await updateUnit(deps, caller, { id, change: body })
      return { ok: true as const, unit: presentUnit(unit) }
    },
  )

  app.delete(
    '/finops/units/:id',
    {
      config: { ...mayWrite, target },
      schema: {
        operationId: 'deleteUnit',
        description: 'Deletes a unit with its values.',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      await deleteUnit(deps, caller, id)
      return { ok: true as const }
    },
  )
}
