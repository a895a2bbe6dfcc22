import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { gitConnections } from '../../store/git/git-connections.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { errors, IdParams, NextCursor, Ok, Page, Text } from '../http/schemas.ts'
import { untilGone, untilLate } from '../http/until-gone.ts'
import { createConnection } from './create-connection.ts'
import { disconnect } from './disconnect.ts'
import { listRepositories } from './list-repositories.ts'
import { presentConnection } from './present-connection.ts'
import {
  GitConnectionBody,
  GitDefaultsBody,
  GitRepositoryBody,
  NewGitConnectionBody,
} from './schemas.ts'
import { setDefaults } from './set-defaults.ts'
import { validateConnection } from './validate-connection.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  gitConnections(tenant).get(id)
const Answer = Type.Object({ ok: Type.Literal(true), connection: GitConnectionBody })

/** Git connections: every member reads, `manage_cloud_accounts` writes. */
export const gitRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/git/connections',
    {
      config: { access: 'manage_cloud_accounts' },
      schema: {
        operationId: 'createGitConnection',
        description:
          'Checks the token with the provider, claims the repository and branch for this organization (409 repo_already_connected) and prepares it.',
        body: NewGitConnectionBody,
        response: { 201: Answer, ...errors(409) },
      },
    },
    async ({ caller, body }, reply) => {
      const connection = await createConnection(untilLate(deps), caller, body)
      return reply.status(201).send({ ok: true, connection: presentConnection(connection) })
    },
  )

  app.get(
    '/git/connections',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listGitConnections',
        querystring: Page,
        response: {
          200: Type.Object({
            connections: Type.Array(GitConnectionBody),
            nextCursor: NextCursor,
          }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) => {
      const after = decodeCursor(cursor, 0)
      const found = await deps.store.tenant(organizationId, async (tenant) =>
        gitConnections(tenant).list(limit + 1, after),
      )
      const { rows, nextCursor } = page(found, limit)
      return { connections: rows.map(presentConnection), nextCursor }
    },
  )

  app.get(
    '/git/connections/:id',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'getGitConnection',
        params: IdParams,
        response: { 200: Type.Object({ connection: GitConnectionBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id } }) => {
      const connection = await deps.store.tenant(organizationId, async (tenant) =>
        gitConnections(tenant).get(id),
      )
      return { connection: presentConnection(connection) }
    },
  )

  app.patch(
    '/git/connections/:id',
    {
      config: { access: 'manage_cloud_accounts', target },
      schema: {
        operationId: 'setGitDefaults',
        params: IdParams,
        body: GitDefaultsBody,
        response: { 200: Answer, ...errors(409) },
      },
    },
    async ({ caller, params: { id }, body }) => {
      const connection = await setDefaults(untilLate(deps), caller, { id, defaults: body })
      return { ok: true as const, connection: presentConnection(connection) }
    },
  )

  app.post(
    '/git/connections/:id/validate',
    {
      config: { access: 'manage_cloud_accounts', target },
      schema: {
        operationId: 'validateGitConnection',
        params: IdParams,
        response: { 200: Answer, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      const connection = await validateConnection(untilLate(deps), caller, id)
      return { ok: true as const, connection: presentConnection(connection) }
    },
  )

  app.get(
    '/git/connections/:id/repos',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'listGitRepositories',
        params: IdParams,
        querystring: Type.Object({ q: Type.Optional(Text(200)), cursor: Page.properties.cursor }),
        response: {
          200: Type.Object({ repos: Type.Array(GitRepositoryBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller, params: { id }, query: { q, cursor } }, reply) =>
      listRepositories(untilGone(reply, deps), caller, { id, q, cursor }),
  )

  app.delete(
    '/git/connections/:id',
    {
      config: { access: 'manage_cloud_accounts', target },
      schema: {
        operationId: 'deleteGitConnection',
        params: IdParams,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      await disconnect(untilLate(deps), caller, id)
      return { ok: true as const }
    },
  )
}
