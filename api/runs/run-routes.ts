import type { Tenant } from '../../store/driver/tenant.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { decodeCursor, maxKey } from '../http/paging.ts'
import { Body, errors, IdParams, Page } from '../http/schemas.ts'
import { untilGone } from '../http/until-gone.ts'
import { IdempotencyHeaders, idempotencyKey } from './idempotency-key.ts'
import { oneRunRoutes } from './one-run-routes.ts'
import { presentRuns } from './present-runs.ts'
import { applyFields, RunAnswer, RunList } from './schemas.ts'
import { startRun } from './start-run.ts'

const pipelineExists = async (tenant: Tenant, { id }: Record<string, number>) =>
  pipelines(tenant).get(id ?? 0)

/** Starts, shows and decides the runs of a pipeline. */
export const pipelineRunRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/pipelines/:id/run',
    {
      config: { access: 'mutate_infra', target: pipelineExists },
      schema: {
        operationId: 'runPipeline',
        params: IdParams,
        headers: IdempotencyHeaders,
        body: Body(applyFields),
        response: { 201: RunAnswer, ...errors(409) },
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const answer = await startRun(untilGone(reply, deps), caller, {
        target: { pipelineId: params.id },
        kind: 'apply',
        ...body,
        idempotencyKey: idempotencyKey(headers),
      })
      return reply.status(201).send(answer)
    },
  )

  app.get(
    '/pipelines/:id/runs',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listPipelineRuns',
        params: IdParams,
        querystring: Page,
        response: { 200: RunList, ...errors() },
      },
    },
    async ({ caller, params: { id }, query: { limit = 50, cursor } }) => {
      const { organizationId } = caller
      const before = decodeCursor(cursor, maxKey)
      return deps.store.tenant(organizationId, async (tenant) => {
        await pipelines(tenant).get(id)
        const found = await pipelineRuns(tenant).list(id, limit + 1, before)
        const places = found.slice(0, limit)
        const last = places.at(-1)
        return {
          runs: await presentRuns(tenant, caller, { places }),
          nextCursor: found.length > limit && last ? String(last.number) : null,
        }
      })
    },
  )

  await app.register(oneRunRoutes, {
    noun: 'Pipeline',
    place: async (tenant, { id, runId }) => pipelineRuns(tenant).get(id, runId),
  })
}
