import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { repeatedFilters } from '../http/repeated-filters.ts'
import { errors, NextCursor } from '../http/schemas.ts'
import { listRuns } from './list-runs.ts'
import { ListedRunBody, RunQuery } from './schemas.ts'

/** The runs of all workspaces and pipelines. */
export const allRunRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/runs',
    {
      config: { access: 'read' },
      preValidation: repeatedFilters,
      schema: {
        operationId: 'listRuns',
        description:
          'Newest first. A repeated filter means or, several filters mean and. A run is listed once, with its id and number in the pipeline of its workspace, also where another pipeline started it.',
        querystring: RunQuery,
        response: {
          200: Type.Object({ runs: Type.Array(ListedRunBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller, query }) => listRuns(app.deps, caller, query),
  )
}
