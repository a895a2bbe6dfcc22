import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { projection } from '../../domain/scim/projection.ts'
import { userSchema } from '../../domain/scim/schemas.ts'
import { scimUsers, type ScimUser } from '../../store/scim/scim-users.ts'
import { userFilterColumns } from '../../store/scim/user-filter-columns.ts'
import { scimAnswer, ScimBody, scimDeletion, scimErrors } from '../http/scim-schemas.ts'
import { patchScimUser, putScimUser } from './change-scim-user.ts'
import { createScimUser } from './create-scim-user.ts'
import { deleteScimUser } from './delete-scim-user.ts'
import { listPage, ListQuery, ShownQuery } from './list-query.ts'
import { listResponse, readPage } from './list-response.ts'
import { presentUser } from './present-user.ts'
import { scimBaseUrl } from './scim-base-url.ts'
import { provisioningOf } from './scim-request.ts'
import { ScimIdParams, scimTarget } from './scim-target.ts'
import { versionTag } from './version-tag.ts'

/** §4.3 /Users. */
export const scimUserRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  const target = scimTarget((db, organizationId, id) =>
    scimUsers(db, organizationId).get(id, false),
  )
  const config = { access: 'scim', target } as const
  const collection = { access: 'scim' } as const
  const User = scimAnswer('The person, as far as it was asked for.')

  const show = (reply: FastifyReply, user: ScimUser, asked: Parameters<typeof presentUser>[1]) =>
    reply.header('etag', versionTag(user.rowVersion)).send(presentUser(user, asked))

  app.get(
    '/Users',
    {
      config: collection,
      schema: {
        operationId: 'listScimUsers',
        querystring: ListQuery,
        response: { 200: scimAnswer('A ListResponse.'), ...scimErrors() },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.scimCaller
      const asked = {
        baseUrl: scimBaseUrl(deps, request),
        projection: projection(userSchema, request.query),
      }
      const page = listPage(request.query, { schema: userSchema, columns: userFilterColumns })
      const wantsGroups = asked.projection.wants('groups')
      const found = await deps.store.tenant(organizationId, async (db) => {
        const people = scimUsers(db, organizationId)
        return readPage(page, {
          list: async (one) => people.list(one, wantsGroups),
          count: async ({ filter }) => people.count(filter),
        })
      })
      const resources = found.rows.map((user) => presentUser(user, asked))
      const { totalResults } = found
      return reply.send(listResponse(resources, { ...page, totalResults }))
    },
  )

  app.post(
    '/Users',
    {
      config: collection,
      schema: {
        operationId: 'createScimUser',
        querystring: ShownQuery,
        body: ScimBody,
        response: { 201: User, ...scimErrors(409) },
      },
    },
    async (request, reply) => {
      const asked = {
        baseUrl: scimBaseUrl(deps, request),
        projection: projection(userSchema, request.query),
      }
      const user = await createScimUser(deps, provisioningOf(request, 201), request.body)
      void reply.status(201).header('location', `${asked.baseUrl}/Users/${user.publicId}`)
      return show(reply, user, asked)
    },
  )

  app.get(
    '/Users/:id',
    {
      config,
      schema: {
        operationId: 'getScimUser',
        params: ScimIdParams,
        querystring: ShownQuery,
        response: { 200: User, ...scimErrors() },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.scimCaller
      const asked = {
        baseUrl: scimBaseUrl(deps, request),
        projection: projection(userSchema, request.query),
      }
      const user = await deps.store.tenant(organizationId, async (db) =>
        scimUsers(db, organizationId).get(request.params.id, asked.projection.wants('groups')),
      )
      return show(reply, user, asked)
    },
  )

  for (const [method, operationId, change] of [
    ['PUT', 'replaceScimUser', putScimUser],
    ['PATCH', 'patchScimUser', patchScimUser],
  ] as const)
    app.route({
      method,
      url: '/Users/:id',
      config,
      schema: {
        operationId,
        params: ScimIdParams,
        querystring: ShownQuery,
        body: ScimBody,
        response: { 200: User, ...scimErrors(409, 412) },
      },
      handler: async (request, reply) => {
        const asked = {
          baseUrl: scimBaseUrl(deps, request),
          projection: projection(userSchema, request.query),
        }
        const user = await change(deps, provisioningOf(request, 200), {
          publicId: request.params.id,
          body: request.body,
          wantsGroups: asked.projection.wants('groups'),
        })
        return show(reply, user, asked)
      },
    })

  app.delete(
    '/Users/:id',
    {
      config,
      schema: {
        operationId: 'deleteScimUser',
        params: ScimIdParams,
        response: scimDeletion(409, 412),
      },
    },
    async (request, reply) => {
      await deleteScimUser(deps, provisioningOf(request, 204), request.params.id)
      return reply.status(204).send()
    },
  )
}
