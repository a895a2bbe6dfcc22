import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import type { Deps } from '../deps.ts'
import { pageOfAll } from '../http/paging.ts'
import { errors, IdParams, Ok, Page } from '../http/schemas.ts'
import { createToken } from './create-token.ts'
import { NewTokenAnswer, NewTokenBody, presentToken, TokenList } from './schemas.ts'

/** Every member's own API tokens. The token is shown once, at creation. */
export const tokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/auth/tokens',
    {
      config: { access: 'read', sessionOnly: true },
      schema: {
        operationId: 'listMyTokens',
        querystring: Page,
        response: { 200: TokenList, ...errors() },
      },
    },
    async ({ caller, query }) => listTokens(app.deps, caller, query),
  )

  app.post(
    '/auth/tokens',
    {
      config: { access: 'read', sessionOnly: true, changesCredential: true },
      schema: {
        operationId: 'createMyToken',
        body: NewTokenBody,
        response: { 201: NewTokenAnswer, ...errors(409) },
      },
    },
    async ({ caller, body }, reply) => {
      const { plain, token } = await createToken(app.deps, caller, body)
      return reply.status(201).send({ ok: true, token: plain, ...presentToken(token) })
    },
  )

  app.delete(
    '/auth/tokens/:id',
    {
      config: {
        access: 'read',
        sessionOnly: true,
        changesCredential: true,
        // oxlint-disable-next-line max-params -- as the type of a target has them
        target: async (tenant, { id = 0 }, userId) => tokens(tenant).assertLive(id, userId),
      },
      schema: {
        operationId: 'revokeMyToken',
        params: IdParams,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params }) => {
      await app.deps.store.tenant(caller.organizationId, async (tenant) => {
        const token = await tokens(tenant).revokeOf(caller.userId, params.id)
        await auditLog(tenant, actorOf(caller)).record('auth.token_revoked', {
          target: { kind: 'token', id: token.id, label: token.name },
        })
      })
      return { ok: true as const }
    },
  )
}

/** At most twenty of a person are valid. */
async function listTokens(
  { store }: Deps,
  { organizationId, userId }: Caller,
  query: Static<typeof Page>,
): Promise<Static<typeof TokenList>> {
  const own = await store.tenant(organizationId, async (tenant) => tokens(tenant).listOf(userId))
  const { rows, nextCursor } = pageOfAll(own, query)
  return { tokens: rows.map(presentToken), nextCursor }
}
