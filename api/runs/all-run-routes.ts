import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { repeatedFilters } from '../http/repeated-filters.ts'
import { errors, NextCursor } from '../http/schemas.ts'
import { cancelRun } from './cancel-run.ts'
import { decideRun } from './decide-run.ts'
import { forEachRun, placeOfRunId } from './for-each-run.ts'
import { listRuns } from './list-runs.ts'
import { ListedRunBody, RunQuery, RunResults, SeveralRuns } from './list-schemas.ts'

/** The runs of all workspaces and pipelines. */
export const allRunRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/runs',
    {
      config: { access: 'read', compressed: true },
      preValidation: repeatedFilters,
      schema: {
        operationId: 'listRuns',
        description:
          'A repeated filter means or, several filters mean and. A run is listed once, with its id and number in the pipeline of its workspace, also where another pipeline started it. A run of an application is listed as its pipeline lists it.',
        querystring: RunQuery,
        response: {
          200: Type.Object({ runs: Type.Array(ListedRunBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller, query }) => listRuns(deps, caller, query),
  )

  const several = {
    config: { access: 'mutate_infra', denialEvent: 'pipeline.denied' },
    schema: { body: SeveralRuns, response: { 200: RunResults, ...errors() } },
  } as const
  const each = 'Each by itself: one that is refused stops no other, and its result has the code.'

  app.post(
    '/runs/cancel',
    { ...several, schema: { ...several.schema, operationId: 'cancelRuns', description: each } },
    async ({ caller, body: { runIds, comment } }) => ({
      ok: true as const,
      results: await forEachRun(runIds, async (runId) =>
        deps.store.tenant(caller.organizationId, async (tenant) =>
          cancelRun(tenant, caller, { run: await placeOfRunId(tenant, runId), comment }),
        ),
      ),
    }),
  )

  app.post(
    '/runs/reject',
    { ...several, schema: { ...several.schema, operationId: 'rejectRuns', description: each } },
    async ({ caller, body: { runIds, comment } }) => ({
      ok: true as const,
      results: await forEachRun(runIds, async (runId) => {
        await decideRun(deps, caller, {
          place: async (tenant) => placeOfRunId(tenant, runId),
          decision: 'rejected',
          ...(comment !== undefined && { comment }),
        })
      }),
    }),
  )
}
