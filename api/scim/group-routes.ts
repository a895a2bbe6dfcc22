import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { projection } from '../../domain/scim/projection.ts'
import { groupSchema } from '../../domain/scim/schemas.ts'
import { scimGroups, type ScimGroup } from '../../store/scim/scim-groups.ts'
import { groupFilterColumns } from '../../store/scim/group-filter-columns.ts'
import { scimAnswer, ScimBody, scimDeletion, scimErrors } from '../http/scim-schemas.ts'
import { patchScimGroup, putScimGroup } from './change-scim-group.ts'
import { createScimGroup } from './create-scim-group.ts'
import { deleteScimGroup } from './delete-scim-group.ts'
import { listPage, ListQuery, ShownQuery } from './list-query.ts'
import { listResponse, readPage } from './list-response.ts'
import { presentGroup } from './present-group.ts'
import { scimBaseUrl } from './scim-base-url.ts'
import { provisioningOf } from './scim-request.ts'
import { ScimIdParams, scimTarget } from './scim-target.ts'
import { wantedMembers } from './wanted-members.ts'
import { versionTag } from './version-tag.ts'

/** §4.3 /Groups. */
export const scimGroupRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  const target = scimTarget((db, organizationId, id) =>
    scimGroups(db, organizationId).get(id, 'none'),
  )
  const config = { access: 'scim', target } as const
  const collection = { access: 'scim' } as const
  const Group = scimAnswer('The group, as far as it was asked for.')

  const show = (reply: FastifyReply, group: ScimGroup, asked: Parameters<typeof presentGroup>[1]) =>
    reply.header('etag', versionTag(group.rowVersion)).send(presentGroup(group, asked))

  app.get(
    '/Groups',
    {
      config: collection,
      schema: {
        operationId: 'listScimGroups',
        description:
          'A group of over 1,000 members comes without them in a list, also where `attributes=members` asks for them: read it by its id, which gives all of them.',
        querystring: ListQuery,
        response: { 200: scimAnswer('A ListResponse.'), ...scimErrors() },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.scimCaller
      const asked = {
        baseUrl: scimBaseUrl(deps, request),
        projection: projection(groupSchema, request.query),
      }
      const page = listPage(request.query, { schema: groupSchema, columns: groupFilterColumns })
      const wanted = wantedMembers(asked.projection, 'list')
      const found = await deps.store.tenant(organizationId, async (db) => {
        const groups = scimGroups(db, organizationId)
        return readPage(page, {
          list: async (one) => groups.list(one, wanted),
          count: async ({ filter }) => groups.count(filter),
        })
      })
      const resources = found.rows.map((group) => presentGroup(group, asked))
      const { totalResults } = found
      return reply.send(listResponse(resources, { ...page, totalResults }))
    },
  )

  app.post(
    '/Groups',
    {
      config: collection,
      schema: {
        operationId: 'createScimGroup',
        querystring: ShownQuery,
        body: ScimBody,
        response: { 201: Group, ...scimErrors(409) },
      },
    },
    async (request, reply) => {
      const asked = {
        baseUrl: scimBaseUrl(deps, request),
        projection: projection(groupSchema, request.query),
      }
      const group = await createScimGroup(deps, provisioningOf(request, 201), {
        body: request.body,
        wanted: wantedMembers(asked.projection, 'write'),
      })
      void reply.status(201).header('location', `${asked.baseUrl}/Groups/${group.publicId}`)
      return show(reply, group, asked)
    },
  )

  app.get(
    '/Groups/:id',
    {
      config,
      schema: {
        operationId: 'getScimGroup',
        params: ScimIdParams,
        querystring: ShownQuery,
        response: { 200: Group, ...scimErrors() },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.scimCaller
      const asked = {
        baseUrl: scimBaseUrl(deps, request),
        projection: projection(groupSchema, request.query),
      }
      const group = await deps.store.tenant(organizationId, async (db) =>
        scimGroups(db, organizationId).get(
          request.params.id,
          wantedMembers(asked.projection, 'read'),
        ),
      )
      return show(reply, group, asked)
    },
  )

  for (const [method, operationId, change] of [
    ['PUT', 'replaceScimGroup', putScimGroup],
    ['PATCH', 'patchScimGroup', patchScimGroup],
  ] as const)
    app.route({
      method,
      url: '/Groups/:id',
      config,
      schema: {
        operationId,
        params: ScimIdParams,
        querystring: ShownQuery,
        body: ScimBody,
        response: { 200: Group, ...scimErrors(409, 412) },
      },
      handler: async (request, reply) => {
        const asked = {
          baseUrl: scimBaseUrl(deps, request),
          projection: projection(groupSchema, request.query),
        }
        const group = await change(deps, provisioningOf(request, 200), {
          publicId: request.params.id,
          body: request.body,
          wanted: wantedMembers(asked.projection, 'write'),
        })
        return show(reply, group, asked)
      },
    })

  app.delete(
    '/Groups/:id',
    {
      config,
      schema: {
        operationId: 'deleteScimGroup',
        params: ScimIdParams,
        response: scimDeletion(409, 412),
      },
    },
    async (request, reply) => {
      await deleteScimGroup(deps, provisioningOf(request, 204), request.params.id)
      return reply.status(204).send()
    },
  )
}
