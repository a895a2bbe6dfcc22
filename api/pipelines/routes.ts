import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { notFound } from '../../domain/errors.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { listedPipelines } from '../../store/pipelines/listed-pipelines.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { decodeCursor, maxKey, page } from '../http/paging.ts'
import { errors, IdParams, NextCursor, Ok } from '../http/schemas.ts'
import { createPipeline } from './create-pipeline.ts'
import { deletePipeline } from './delete-pipeline.ts'
import { presentListed, presentPipelines } from './present-pipelines.ts'
import { runsWithLogs } from '../runs/runs-with-logs.ts'
import { NewPipelineBody, PipelineBody, PipelineChangeBody, PipelineQuery } from './schemas.ts'
import { updatePipeline } from './update-pipeline.ts'
import { pipelineVariableRoutes } from './variable-routes.ts'
import { RunWithLogs } from '../runs/schemas.ts'

/** Pipelines. Every route names its access; a route without one stops the server from starting. */
export const pipelineRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/pipelines',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listPipelines',
        querystring: PipelineQuery,
        response: {
          200: Type.Object({ pipelines: Type.Array(PipelineBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query }) => {
      const { limit = 50, cursor, q, managed } = query
      const after = decodeCursor(cursor, 0)
      const found = await listedPipelines(deps.store, organizationId, {
        limit: limit + 1,
        after,
        q,
        managed,
      })
      const { rows, nextCursor } = page(found, limit)
      return { pipelines: rows.map(presentListed), nextCursor }
    },
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
      config: { access: 'read' },
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
        return { pipeline, runs: await runsWithLogs(tenant, caller, places) }
      })
    },
  )

  app.patch(
    '/pipelines/:id',
    {
      config: {
        access: 'mutate_infra',
        target: async (tenant, { id = 0 }) => pipelines(tenant).get(id),
      },
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

  await app.register(pipelineVariableRoutes)

  app.delete(
    '/pipelines/:id',
    {
      config: {
        access: 'mutate_infra',
        target: async (tenant, { id = 0 }) => pipelines(tenant).get(id),
      },
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
