import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { shownBudgetStates } from '../../../app/finops/budget-states.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { budgets } from '../../../store/finops/budgets/budgets.ts'
import { decodeCursor, page } from '../../http/paging.ts'
import { errors, IdParams, NextCursor, NoQuery, Ok, Page } from '../../http/schemas.ts'
import { createBudget } from './create-budget.ts'
import { deleteBudget } from './delete-budget.ts'
import { withState } from './hold-budget.ts'
import { presentBudget } from './present-budget.ts'
import { BudgetAnswer, BudgetBody, BudgetChangeBody, NewBudgetBody } from './schemas.ts'
import { updateBudget } from './update-budget.ts'
import { addRoutes } from '../../http/add-routes.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) => budgets(tenant).get(id)
/** A missing capability is audited under this name on all routes of cost. */
const mayWrite = { access: 'mutate_infra', denialEvent: 'cloud.rbac_denied' } as const

/** Budgets with their states. */
export const budgetRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await addRoutes(app, readRoutes, writeRoutes)
}

const readRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/finops/budgets',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listBudgets',
        description:
          'Budgets with their states in the current UTC month, by id. At most eight forecasts are computed in a request; other budgets have the last one of the month, or none (pending), until a worker has computed theirs.',
        querystring: Type.Object(Page.properties, { additionalProperties: false }),
        response: {
          200: Type.Object({ budgets: Type.Array(BudgetBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) =>
      deps.store.tenant(organizationId, async (tenant) => {
        const found = await budgets(tenant).list(limit + 1, decodeCursor(cursor, 0))
        const { rows, nextCursor } = page(found, limit)
        const shown = await shownBudgetStates(tenant, { of: rows })
        return { budgets: shown.budgets.map(presentBudget), nextCursor }
      }),
  )

  app.get(
    '/finops/budgets/:id',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'getBudget',
        description: 'One budget with its state in the current UTC month.',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Type.Object({ budget: BudgetBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id } }) =>
      deps.store.tenant(organizationId, async (tenant) => ({
        budget: await withState(tenant, await budgets(tenant).get(id)),
      })),
  )
}

const writeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/finops/budgets',
    {
      config: mayWrite,
      schema: {
        operationId: 'createBudget',
        description:
          'threshold is 0.8 unless said; thresholdPct is the same in percent. overBudget: approve has runs of standard workspaces wait for a second person where they would break the budget, and needs manage_cloud_accounts.',
        querystring: NoQuery,
        body: NewBudgetBody,
        response: { 201: BudgetAnswer, ...errors(409) },
      },
    },
    async ({ caller, body }, reply) => {
      const budget = await createBudget(deps, caller, body)
      return reply.status(201).send({ ok: true, budget })
    },
  )

  app.patch(
    '/finops/budgets/:id',
    {
      config: { ...mayWrite, target },
      schema: {
        operationId: 'updateBudget',
        description:
          'A budget with overBudget: approve guards runs: setting it, a higher amount and another scope need manage_cloud_accounts, and void what waits for an approval.',
        params: IdParams,
        querystring: NoQuery,
        body: BudgetChangeBody,
        response: { 200: BudgetAnswer, ...errors() },
      },
    },
    async ({ caller, params: { id }, body }) => {
      const budget = await updateBudget(deps, caller, { id, change: body })
      return { ok: true as const, budget }
    },
  )

  app.delete(
    '/finops/budgets/:id',
    {
      config: { ...mayWrite, target },
      schema: {
        operationId: 'deleteBudget',
        description: 'Deletes a budget. One with overBudget: approve needs manage_cloud_accounts.',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      await deleteBudget(deps, caller, id)
      return { ok: true as const }
    },
  )
}
