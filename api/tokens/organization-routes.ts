import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { assertCredentialsUnlocked } from '../../domain/access/assert-credentials-unlocked.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import { decodeCursor, maxKey, page } from '../http/paging.ts'
import { errors, IdParams, Ok, Page } from '../http/schemas.ts'
import { createToken } from './create-token.ts'
import {
  NewTokenAnswer,
  NewTokenBody,
  OwnedTokenList,
  presentOwnedToken,
  presentToken,
} from './schemas.ts'

/** All API tokens of the organization, for who administers people: to list and revoke. */
export const organizationTokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/org/tokens',
    {
      config: { access: 'manage_users_sso', sessionOnly: true },
      schema: {
        operationId: 'listTokens',
        querystring: Page,
        response: { 200: OwnedTokenList, ...errors() },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) => {
      const before = decodeCursor(cursor, maxKey)
      const found = await app.deps.store.tenant(organizationId, async (tenant) =>
        tokens(tenant).list(limit + 1, before),
      )
      const { rows, nextCursor } = page(found, limit)
      return { tokens: rows.map(presentOwnedToken), nextCursor }
    },
  )

  app.post(
    '/org/tokens',
    {
      config: { access: 'manage_users_sso', sessionOnly: true, changesCredential: true },
      schema: {
        operationId: 'createToken',
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
    '/org/tokens/:id',
    {
      config: {
        access: 'manage_users_sso',
        sessionOnly: true,
        // Another person's token is no credential of the caller; one of their own is checked below.
        changesCredential: false,
        target: async (tenant, { id = 0 }) => tokens(tenant).assertLive(id),
      },
      schema: { operationId: 'revokeToken', params: IdParams, response: { 200: Ok, ...errors() } },
    },
    async ({ caller, params: { id } }) => {
      const { organizationId } = caller
      await app.deps.store.tenant(organizationId, async (tenant) => {
        const token = await tokens(tenant).revoke(id)
        if (token.userId === caller.userId) assertCredentialsUnlocked(caller)
        await auditLog(tenant, actorOf(caller)).record('auth.token_revoked', {
          target: { kind: 'token', id, label: token.name },
        })
      })
      return { ok: true as const }
    },
  )
}
