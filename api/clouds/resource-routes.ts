import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { notFound } from '../../domain/errors.ts'
import { cloudResources } from '../../store/clouds/cloud-resources.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { repeatedFilters } from '../http/repeated-filters.ts'
import { errors, IdParams, NextCursor, NoQuery } from '../http/schemas.ts'
import { listResources } from './list-resources.ts'
import { presentResources } from './present-resources.ts'
import { ResourceBody, ResourceQuery, SummaryBody } from './resource-schemas.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  cloudResources(tenant).get(id)

const readResources = { access: 'read', denialEvent: 'cloud.rbac_denied' } as const

/** The resources of all connected cloud accounts, as the last syncs saw them. */
export const resourceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/cloud/resources',
    {
      config: { ...readResources, compressed: true },
      preValidation: repeatedFilters,
      schema: {
        operationId: 'listCloudResources',
        description:
          'A repeated filter means or, several filters mean and. The order is that of a hash of the cloud’s id: it has no meaning, and a resource keeps its place. Without state those that are present. A search of more than 5 seconds is 400 search_too_broad.',
        querystring: ResourceQuery,
        response: {
          200: Type.Object({ resources: Type.Array(ResourceBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query }) => listResources(deps, organizationId, query),
  )

  app.get(
    '/cloud/resources/summary',
    {
      config: readResources,
      schema: {
        operationId: 'summarizeCloudResources',
        description:
          'How many resources are present, by provider, service, region and whether a workspace holds them.',
        querystring: NoQuery,
        response: { 200: SummaryBody, ...errors() },
      },
    },
    async ({ caller: { organizationId } }) =>
      deps.store.tenant(organizationId, async (tenant) => cloudResources(tenant).counts()),
  )

  app.get(
    '/cloud/resources/:id',
    {
      config: { ...readResources, target },
      schema: {
        operationId: 'getCloudResource',
        params: IdParams,
        querystring: NoQuery,
        response: { 200: Type.Object({ resource: ResourceBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id } }) => {
      const [resource] = await deps.store.tenant(organizationId, async (tenant) =>
        presentResources(tenant, [await cloudResources(tenant).get(id)]),
      )
      if (!resource) throw notFound()
      return { resource }
    },
  )
}
