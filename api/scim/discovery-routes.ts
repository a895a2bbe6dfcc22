import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError, notFound } from '../../domain/errors.ts'
import { allSchemas } from '../../domain/scim/schemas.ts'
import { scimAnswer, scimErrors } from '../http/scim-schemas.ts'
import { resourceTypes, serviceProviderConfig } from './discovery-documents.ts'
import { listResponse } from './list-response.ts'
import { scimBaseUrl } from './scim-base-url.ts'
import { ScimIdParams } from './scim-target.ts'

/** RFC 7644 4: lists only what is supported. */
export const scimDiscoveryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const config = { access: 'scim' } as const
  const answers = { 200: scimAnswer('As RFC 7643 5 to 7 have it.'), ...scimErrors() }

  const schemasFor = (request: FastifyRequest) =>
    allSchemas.map((schema) => ({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
      ...schema,
      meta: {
        resourceType: 'Schema',
        location: `${scimBaseUrl(app.deps, request)}/Schemas/${schema.id}`,
      },
    }))
  const typesFor = (request: FastifyRequest) => resourceTypes(scimBaseUrl(app.deps, request))

  app.get(
    '/ServiceProviderConfig',
    {
      config,
      schema: {
        operationId: 'getScimServiceProviderConfig',
        querystring: DiscoveryQuery,
        response: answers,
      },
    },
    (request) => {
      assertNoFilter(request.query)
      return serviceProviderConfig(scimBaseUrl(app.deps, request))
    },
  )

  for (const [path, name, documents] of [
    ['/Schemas', 'ScimSchema', schemasFor],
    ['/ResourceTypes', 'ScimResourceType', typesFor],
  ] as const) {
    app.get(
      path,
      {
        config,
        schema: { operationId: `list${name}s`, querystring: DiscoveryQuery, response: answers },
      },
      (request) => {
        assertNoFilter(request.query)
        const all = documents(request)
        return listResponse(all, { startIndex: 1, totalResults: all.length })
      },
    )

    app.get(
      `${path}/:id`,
      { config, schema: { operationId: `get${name}`, params: ScimIdParams, response: answers } },
      (request) => {
        const found = documents(request).find(({ id }) => id === request.params.id)
        if (!found) throw notFound()
        return found
      },
    )
  }
}

const DiscoveryQuery = Type.Object({
  filter: Type.Optional(Type.Unknown({ description: 'Refused with 403.' })),
})

/** Refuses a filter: otherwise a client would take the whole list for the filtered one (RFC 7644 4). */
function assertNoFilter({ filter }: { filter?: unknown }): void {
  if (filter !== undefined) throw new AppError('forbidden', 'This list cannot be filtered.')
}
