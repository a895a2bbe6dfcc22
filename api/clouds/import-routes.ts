import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { importBlocks } from '../../domain/clouds/import-blocks.ts'
import { repeatedFilters } from '../http/repeated-filters.ts'
import { errors } from '../http/schemas.ts'
import { listResources } from './list-resources.ts'
import { ResourceQuery } from './resource-schemas.ts'

const { limit: _limit, cursor: _cursor, ...filters } = ResourceQuery.properties
const maxBlocks = 200

/** How OpenTofu takes over what nobody manages. */
export const importRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/cloud/resources/imports',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied' },
      preValidation: repeatedFilters,
      schema: {
        operationId: 'writeImportBlocks',
        description:
          'OpenTofu’s import blocks for the first 200 resources that match, with the filters of the list. A resource that a workspace holds, or whose type has no rule, is a comment that says so; so is the rest beyond 200.',
        querystring: Type.Object(filters, { additionalProperties: false }),
        response: {
          200: {
            description: 'A file of OpenTofu’s language.',
            content: { 'text/plain': { schema: Type.String() } },
          },
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query }, reply) => {
      const page = { ...query, limit: maxBlocks, withTags: false }
      const { resources, nextCursor } = await listResources(app.deps, organizationId, page)
      const rest =
        nextCursor === null
          ? ''
          : `\n# There are more than ${resources.length}: narrow the filters.\n`
      return reply.type('text/plain; charset=utf-8').send(importBlocks(resources) + rest)
    },
  )
}
