import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { costStand } from '../../../store/finops/cost/cost-stand.ts'
import { readIngests } from '../../../store/finops/read-ingests.ts'
import { decodeCursor, maxKey, page } from '../../http/paging.ts'
import { repeatedFilters } from '../../http/repeated-filters.ts'
import { errors, IdParams, NextCursor } from '../../http/schemas.ts'
import { presentIngest, presentSummary } from './present-ingest.ts'
import { IngestBody, IngestPage, IngestQuery, IngestSummaryBody } from './schemas.ts'

/** What became of ingests. */
export const readIngestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/finops/ingests',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied' },
      preValidation: repeatedFilters,
      schema: {
        operationId: 'listIngests',
        description: 'Newest first. A repeated filter means or.',
        querystring: IngestQuery,
        response: {
          200: Type.Object({ ingests: Type.Array(IngestSummaryBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor, ...filters } }) => {
      const before = decodeCursor(cursor, maxKey)
      await costStand(deps.store, organizationId, filters)
      const found = await deps.store.tenant(organizationId, async (tenant) =>
        readIngests(tenant).list(filters, { limit: limit + 1, before }),
      )
      const { rows, nextCursor } = page(found, limit)
      return { ingests: rows.map(presentSummary), nextCursor }
    },
  )

  app.get(
    '/finops/ingests/:id',
    {
      config: {
        access: 'read',
        denialEvent: 'cloud.rbac_denied',
        target: async (tenant, { id = 0 }) => readIngests(tenant).get(id),
      },
      schema: {
        operationId: 'getIngest',
        description: 'cursor: the nextCursor of the ingest, for its further accounts and slices.',
        params: IdParams,
        querystring: IngestPage,
        response: { 200: Type.Object({ ingest: IngestBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query: { cursor } }) => ({
      ingest: await deps.store.tenant(organizationId, async (tenant) =>
        presentIngest(tenant, id, { ...(cursor !== undefined && { cursor }) }),
      ),
    }),
  )
}
