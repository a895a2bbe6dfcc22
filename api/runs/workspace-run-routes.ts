import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { decodeCursor, maxKey, page } from '../http/paging.ts'
import { Body, errors, IdParams, Page } from '../http/schemas.ts'
import { untilGone } from '../http/until-gone.ts'
import { IdempotencyHeaders, idempotencyKey } from './idempotency-key.ts'
import { oneRunRoutes } from './one-run-routes.ts'
import { presentRuns, type RunPlace } from './present-runs.ts'
import { applyFields, RunAnswer, RunList, startFields } from './schemas.ts'
import { startRun } from './start-run.ts'

const workspaceExists = async (tenant: Tenant, { id }: Record<string, number>) =>
  workspaces(tenant).get(id ?? 0)

/** A run of `provision-…` has its workspace run's id; a plan-only run is in no pipeline and has no number. */
async function placeOfRun(
  tenant: Tenant,
  { id, runId: workspaceRunId }: { id: number; runId: number },
): Promise<RunPlace & { workspaceId: number }> {
  const [places] = await Promise.all([
    pipelineRuns(tenant).ofWorkspaceRuns([workspaceRunId]),
    workspaceRuns(tenant).assertOfWorkspace(id, workspaceRunId),
  ])
  const own = places.find((place) => place.id === workspaceRunId)
  return { id: workspaceRunId, workspaceId: id, workspaceRunId, number: own?.number ?? null }
}

const descriptions = {
  plan: 'Starts a plan-only run: it applies nothing and waits for no turn. Nobody approves it, and a plan runs code that its author wrote: it has the secrets of the phases `plan` and `both`.',
  apply: 'Starts a run of the workspace’s own pipeline: plan, approval where one is needed, apply.',
}

/** The runs of a workspace: plan-only runs and those of `provision-<workspace>`. */
export const workspaceRunRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  for (const kind of ['plan', 'apply'] as const)
    app.post(
      `/workspaces/:id/${kind}`,
      {
        config: { access: 'mutate_infra', target: workspaceExists },
        schema: {
          operationId: `${kind}Workspace`,
          description: descriptions[kind],
          params: IdParams,
          headers: IdempotencyHeaders,
          body: Body({
            ...(kind === 'apply' ? applyFields : startFields),
            destroy: Type.Optional(Type.Boolean()),
          }),
          response: { 201: RunAnswer, ...errors(409) },
        },
      },
      async ({ caller, params, body, headers }, reply) => {
        const answer = await startRun(untilGone(reply, deps), caller, {
          target: { workspaceId: params.id },
          kind,
          ...body,
          idempotencyKey: idempotencyKey(headers),
        })
        return reply.status(201).send(answer)
      },
    )

  app.get(
    '/workspaces/:id/runs',
    {
      config: { access: 'read', compressed: true, target: workspaceExists },
      schema: {
        operationId: 'listWorkspaceRuns',
        params: IdParams,
        querystring: Page,
        response: { 200: RunList, ...errors() },
      },
    },
    async ({ caller, params: { id }, query: { limit = 50, cursor } }) => {
      const { organizationId } = caller
      const before = decodeCursor(cursor, maxKey)
      return deps.store.reading(organizationId, async (tenant) => {
        const [found] = await Promise.all([
          workspaceRuns(tenant).idsOf(id, limit + 1, before),
          workspaces(tenant).get(id),
        ])
        const { rows, nextCursor } = page(found, limit)
        const workspaceRunIds = rows.map((run) => run.id)
        return { runs: await presentRuns(tenant, caller, { workspaceRunIds }), nextCursor }
      })
    },
  )

  await app.register(oneRunRoutes, { noun: 'Workspace', place: placeOfRun })
}
