import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../store/driver/tenant.ts'
import { pipelineVariables } from '../../store/pipelines/pipeline-variables.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { pageOfAll } from '../http/paging.ts'
import { errors, Id, IdParams, NextCursor, Ok, Page } from '../http/schemas.ts'
import { createPipelineVariable } from './create-variable.ts'
import { deletePipelineVariable } from './delete-variable.ts'
import { presentVariable } from './present-variable.ts'
import {
  NewPipelineVariableBody,
  PipelineVariableBody,
  PipelineVariableChangeBody,
} from './schemas.ts'
import { updatePipelineVariable } from './update-variable.ts'
import { addRoutes } from '../http/add-routes.ts'

const VariableParams = Type.Object({ id: Id, variableId: Id })
const VariableAnswer = Type.Object({ ok: Type.Literal(true), variable: PipelineVariableBody })

const target = async (tenant: Tenant, { id = 0, variableId }: Record<string, number>) =>
  variableId === undefined
    ? pipelines(tenant).get(id)
    : pipelineVariables(tenant, id).get(variableId)

/** The variables that builds and deployments of a pipeline are given. A sensitive value is write-only. */
export const pipelineVariableRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await addRoutes(app, readRoutes, changeRoutes)
}

const readRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/pipelines/:id/variables',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'listPipelineVariables',
        description: 'A pipeline has at most 200.',
        params: IdParams,
        querystring: Page,
        response: {
          200: Type.Object({ variables: Type.Array(PipelineVariableBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query }) =>
      app.deps.store.tenant(organizationId, async (tenant) => {
        await pipelines(tenant).get(id)
        const rows = await pipelineVariables(tenant, id).list()
        const { rows: shown, nextCursor } = pageOfAll(rows, query)
        const { keyring } = app.deps
        return {
          variables: shown.map((row) => presentVariable(keyring, organizationId, row)),
          nextCursor,
        }
      }),
  )
}

const changeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/pipelines/:id/variables',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'createPipelineVariable',
        params: IdParams,
        body: NewPipelineVariableBody,
        response: { 201: VariableAnswer, ...errors(409) },
      },
    },
    async ({ caller, params: { id }, body }, reply) => {
      const variable = await createPipelineVariable(app.deps, caller, { id, variable: body })
      return reply.status(201).send({ ok: true, variable })
    },
  )

  app.patch(
    '/pipelines/:id/variables/:variableId',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'updatePipelineVariable',
        params: VariableParams,
        body: PipelineVariableChangeBody,
        response: { 200: VariableAnswer, ...errors(409) },
      },
    },
    async ({ caller, params, body }) => ({
      ok: true as const,
      variable: await updatePipelineVariable(app.deps, caller, { ...params, change: body }),
    }),
  )

  app.delete(
    '/pipelines/:id/variables/:variableId',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'deletePipelineVariable',
        params: VariableParams,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params }) => {
      await deletePipelineVariable(app.deps, caller, params)
      return { ok: true as const }
    },
  )
}
