import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import type { Deps } from '../deps.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { pipelineKind } from '../../store/runs/run-target.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { pipelines } from '../../store/pipelines/pipelines.ts'
import { decodeCursor, maxKey } from '../http/paging.ts'
import { Body, errors, IdParams, Page } from '../http/schemas.ts'
import { untilGone } from '../http/until-gone.ts'
import { IdempotencyHeaders, idempotencyKey } from './idempotency-key.ts'
import { oneRunRoutes } from './one-run-routes.ts'
import { presentRuns } from './present-runs.ts'
import { releaseRoutes } from './release-routes.ts'
import { pipelineStartFields, RunAnswer, RunList } from './schemas.ts'
import {
  refuseSource,
  startApplicationRun,
  type ApplicationRunRequest,
} from './start-application-run.ts'
import { startRun, type RunRequest } from './start-run.ts'
import { addRoutes } from '../http/add-routes.ts'

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
        description:
          'Starts a run. An infrastructure pipeline plans, approves and applies its workspace, and takes `vars` and `confirm`. An application pipeline fetches and builds its repository, and takes one of `branch`, `tag`, `commit` and `artifactOf`, and a `strategy`; with a target workspace it deploys. Refused with 409: `source_unknown` (its Git connection is gone) and `not_promotable` (`artifactOf` has no artifact that is kept, or another repository).',
        params: IdParams,
        headers: IdempotencyHeaders,
        body: Body(pipelineStartFields),
        response: { 201: RunAnswer, ...errors(409) },
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const answer = await startOfKind(untilGone(reply, deps), caller, {
        ...body,
        pipelineId: params.id,
        idempotencyKey: idempotencyKey(headers),
      })
      return reply.status(201).send(answer)
    },
  )

  app.get(
    '/pipelines/:id/runs',
    {
      config: { access: 'read', compressed: true, target: pipelineExists },
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
      return deps.store.reading(organizationId, async (tenant) => {
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

  await addRoutes(app, releaseRoutes)
  await app.register(oneRunRoutes, {
    noun: 'Pipeline',
    place: async (tenant, { id, runId }) => pipelineRuns(tenant).get(id, runId),
  })
}

/** Each kind of pipeline starts its own runs. */
async function startOfKind(
  deps: Deps,
  caller: Caller,
  request: Omit<RunRequest, 'target' | 'kind'> & ApplicationRunRequest,
): Promise<RunAnswer> {
  const { pipelineId, branch, tag, commit, artifactOf, strategy, ...plan } = request
  const kind = await pipelineKind(deps.store, caller.organizationId, pipelineId)
  if (kind === 'application') return startApplicationRun(deps, caller, request)
  refuseSource({ branch, tag, commit, artifactOf, strategy })
  return startRun(deps, caller, { target: { pipelineId }, kind: 'apply', ...plan })
}
