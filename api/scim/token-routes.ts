import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { tokens } from '../../store/tokens/tokens.ts'
import { OneLine } from '../http/one-line.ts'
import { pageOfAll } from '../http/paging.ts'
import { Body, errors, Id, IdParams, NextCursor, Ok, Page } from '../http/schemas.ts'
import { createScimToken } from './create-scim-token.ts'
import { revokeScimToken } from './revoke-scim-token.ts'
import { scimBaseUrl } from './scim-base-url.ts'
import { presentScimToken, ScimTokenBody } from './token-schemas.ts'

/** /api/org/scim: needs a session and manage_users_sso. The token is shown once, at creation. */
export const scimTokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const config = { access: 'manage_users_sso', sessionOnly: true } as const

  app.get(
    '/org/scim',
    {
      config,
      schema: {
        operationId: 'listScimTokens',
        querystring: Page,
        response: {
          200: Type.Object({ tokens: Type.Array(ScimTokenBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query }) => {
      // At most five live ones.
      const live = await app.deps.store.tenant(organizationId, async (tenant) =>
        tokens(tenant).listScim(),
      )
      const { rows, nextCursor } = pageOfAll(live, query)
      return { tokens: rows.map(presentScimToken), nextCursor }
    },
  )

  app.post(
    '/org/scim',
    {
      config,
      schema: {
        operationId: 'createScimToken',
        body: Body({ name: OneLine(200) }),
        response: {
          201: Type.Object({
            ok: Type.Literal(true),
            id: Id,
            token: Type.String(),
            scimBaseUrl: Type.String(),
          }),
          ...errors(409),
        },
      },
    },
    async (request, reply) => {
      const { id, plain } = await createScimToken(app.deps, request.caller, request.body)
      const baseUrl = scimBaseUrl(app.deps, request)
      return reply.status(201).send({ ok: true, id, token: plain, scimBaseUrl: baseUrl })
    },
  )

  app.delete(
    '/org/scim/:id',
    {
      config: {
        ...config,
        target: async (tenant, { id = 0 }) => tokens(tenant).assertLiveScim(id),
      },
      schema: {
        operationId: 'revokeScimToken',
        params: IdParams,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      await revokeScimToken(app.deps, caller, id)
      return { ok: true as const }
    },
  )
}
