import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { notFound } from '../../domain/errors.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { maxKey } from '../http/paging.ts'
import { repeatedFilters } from '../http/repeated-filters.ts'
import { errors, IdParams, NextCursor, Ok } from '../http/schemas.ts'
import { createPipeline } from './create-pipeline.ts'
import { deletePipeline } from './delete-pipeline.ts'
import { listPipelines } from './list-pipelines.ts'
import { presentPipelines } from './present-pipelines.ts'
import { runsWithLogs } from '../runs/runs-with-logs.ts'
import { NewPipelineBody, PipelineBody, PipelineChangeBody, PipelineQuery } from './schemas.ts'
import { updatePipeline } from './update-pipeline.ts'
import { pipelineVariableRoutes } from './variable-routes.ts'
import { RunWithLogs } from '../runs/schemas.ts'
import { addRoutes } from '../http/add-routes.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  pipelines(tenant).get(id)

/** Pipelines. Every route names its access; a route without one stops the server from starting. */
export const pipelineRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/pipelines',
    {
      config: { access: 'read', compressed: true },
      preValidation: repeatedFilters,
      schema: {
        operationId: 'listPipelines',
        description: 'Without an order: as they were created.',
        querystring: PipelineQuery,
        response: {
          200: Type.Object({ pipelines: Type.Array(PipelineBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller, query }) => listPipelines(deps, caller, query),
  )

  app.post(
    '/pipelines',
    {
      config: { access: 'mutate_infra' },
      schema: {
        operationId: 'createPipeline',
        body: NewPipelineBody,
        response: {
          201: Type.Object({ ok: Type.Literal(true), pipeline: PipelineBody }),
          ...errors(409),
        },
      },
    },
    async ({ caller, body }, reply) => {
      const pipeline = await createPipeline(deps, caller, body)
      return reply.status(201).send({ ok: true, pipeline })
    },
  )

  app.get(
    '/pipelines/:id',
    {
      config: { access: 'read', compressed: true },
      schema: {
        operationId: 'getPipeline',
        params: IdParams,
        response: {
          200: Type.Object({ pipeline: PipelineBody, runs: Type.Array(RunWithLogs) }),
          ...errors(),
        },
      },
    },
    async ({ caller, params: { id } }) => {
      const { organizationId } = caller
      return deps.store.tenant(organizationId, async (tenant) => {
        const row = await pipelines(tenant).get(id)
        const [pipeline] = await presentPipelines(tenant, [row])
        if (!pipeline) throw notFound()
        const places = await pipelineRuns(tenant).list(id, 20, maxKey)
        return { pipeline, runs: await runsWithLogs(deps, { tenant, caller, places }) }
      })
    },
  )

  app.patch(
    '/pipelines/:id',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'updatePipeline',
        description:
          'Changes a pipeline. `triggers` keeps what it does not name. Refused with 409: `managed_pipeline`, and `run_in_progress` where the source (connection, repository, branch, folder) or the target would change under a run that is not over.',
        params: IdParams,
        body: PipelineChangeBody,
        response: {
          200: Type.Object({ ok: Type.Literal(true), pipeline: PipelineBody }),
          ...errors(409),
        },
      },
    },
    async ({ caller, params: { id }, body }) => ({
      ok: true as const,
      pipeline: await updatePipeline(deps, caller, { id, change: body }),
    }),
  )

  await addRoutes(app, pipelineVariableRoutes)

  app.delete(
    '/pipelines/:id',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'deletePipeline',
        params: IdParams,
        response: { 200: Ok, ...errors(409) },
      },
    },
    async ({ caller, params: { id } }) => {
      await deletePipeline(deps, caller, id)
      return { ok: true as const }
    },
  )
}
