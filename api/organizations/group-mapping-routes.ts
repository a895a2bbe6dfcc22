import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { roles } from '../../domain/access/roles.ts'
import { groupMappings } from '../../store/groups/group-mappings.ts'
import { OneLine } from '../http/one-line.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { Body, errors, IdParams, NextCursor, Ok, OneOf, Page } from '../http/schemas.ts'
import { mapGroup } from './map-group.ts'
import { GroupMappingBody } from './schemas.ts'
import { unmapGroup } from './unmap-group.ts'

const GroupMappingAnswer = Type.Object({
  ok: Type.Literal(true),
  groupMapping: GroupMappingBody,
})

/** /api/org/group-mappings: needs a session and manage_users_sso. */
export const groupMappingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const config = { access: 'manage_users_sso', sessionOnly: true } as const

  app.get(
    '/org/group-mappings',
    {
      config,
      schema: {
        operationId: 'listGroupMappings',
        querystring: Page,
        response: {
          200: Type.Object({ groupMappings: Type.Array(GroupMappingBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) => {
      const after = decodeCursor(cursor, 0)
      const found = await app.deps.store.tenant(organizationId, async (tenant) =>
        groupMappings(tenant).list(limit + 1, after),
      )
      const { rows, nextCursor } = page(found, limit)
      return { groupMappings: rows, nextCursor }
    },
  )

  app.post(
    '/org/group-mappings',
    {
      config,
      schema: {
        operationId: 'mapGroup',
        description: 'Upserts by the name of the group, whatever its case: 201 where it is new.',
        body: Body({ groupName: OneLine(256), role: OneOf(roles) }),
        response: { 200: GroupMappingAnswer, 201: GroupMappingAnswer, ...errors(409) },
      },
    },
    async ({ caller, body }, reply) => {
      const { created, mapping } = await mapGroup(app.deps, caller, body)
      return reply.status(created ? 201 : 200).send({ ok: true, groupMapping: mapping })
    },
  )

  app.delete(
    '/org/group-mappings/:id',
    {
      config: {
        ...config,
        target: async (tenant, { id = 0 }) => groupMappings(tenant).get(id),
      },
      schema: { operationId: 'unmapGroup', params: IdParams, response: { 200: Ok, ...errors() } },
    },
    async ({ caller, params: { id } }) => {
      await unmapGroup(app.deps, caller, id)
      return { ok: true as const }
    },
  )
}
