import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { workspaceVariables } from '../../store/workspaces/workspace-variables.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { pageOfAll } from '../http/paging.ts'
import { errors, Id, IdParams, NextCursor, Ok, Page } from '../http/schemas.ts'
import { createVariable } from './create-variable.ts'
import { deleteVariable } from './delete-variable.ts'
import { presentVariable } from './present-variable.ts'
import { NewVariableBody, VariableBody, VariableChangeBody } from './schemas.ts'
import { updateVariable } from './update-variable.ts'

const VariableParams = Type.Object({ id: Id, variableId: Id })
const VariableAnswer = Type.Object({ ok: Type.Literal(true), variable: VariableBody })

const target = async (tenant: Tenant, { id = 0, variableId }: Record<string, number>) =>
  variableId === undefined
    ? workspaces(tenant).get(id)
    : workspaceVariables(tenant).get(id, variableId)

/** The variables that a workspace's plans are given. A sensitive value is write-only. */
export const variableRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/workspaces/:id/variables',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'listVariables',
        description: 'A workspace has at most 200.',
        params: IdParams,
        querystring: Page,
        response: {
          200: Type.Object({ variables: Type.Array(VariableBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query }) =>
      app.deps.store.tenant(organizationId, async (tenant) => {
        await workspaces(tenant).get(id)
        const rows = await workspaceVariables(tenant).list(id)
        const { rows: shown, nextCursor } = pageOfAll(rows, query)
        const { keyring } = app.deps
        return {
          variables: shown.map((row) => presentVariable(keyring, organizationId, row)),
          nextCursor,
        }
      }),
  )

  app.post(
    '/workspaces/:id/variables',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'createVariable',
        params: IdParams,
        body: NewVariableBody,
        response: { 201: VariableAnswer, ...errors(409) },
      },
    },
    async ({ caller, params: { id }, body }, reply) => {
      const variable = await createVariable(app.deps, caller, { id, variable: body })
      return reply.status(201).send({ ok: true, variable })
    },
  )

  app.patch(
    '/workspaces/:id/variables/:variableId',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'updateVariable',
        params: VariableParams,
        body: VariableChangeBody,
        response: { 200: VariableAnswer, ...errors(409) },
      },
    },
    async ({ caller, params, body }) => ({
      ok: true as const,
      variable: await updateVariable(app.deps, caller, { ...params, change: body }),
    }),
  )

  app.delete(
    '/workspaces/:id/variables/:variableId',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'deleteVariable',
        params: VariableParams,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params }) => {
      await deleteVariable(app.deps, caller, params)
      return { ok: true as const }
    },
  )
}
