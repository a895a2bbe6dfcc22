import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { newToken } from '../../domain/access/credentials.ts'
import { rank, roles, type Role } from '../../domain/access/roles.ts'
import { AppError } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { tokens, type ApiToken } from '../../store/tokens/tokens.ts'
import { Body, errors, Id, IdParams, Nullable, Ok, OneOf, Text, Time } from '../http/schemas.ts'

const tokenFields = {
  id: Id,
  name: Type.String(),
  prefix: Type.String(),
  role: OneOf(roles),
  createdAt: Time,
  expiresAt: Time,
  lastUsedAt: Nullable(Time),
}

const present = (token: ApiToken) => ({
  ...token,
  createdAt: token.createdAt.toISOString(),
  expiresAt: token.expiresAt.toISOString(),
  lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
})

/** Every member's own API tokens (decisions §2). The token itself is shown once, at creation. */
export const tokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/auth/tokens',
    {
      config: { access: 'read', sessionOnly: true },
      schema: {
        operationId: 'listMyTokens',
        response: {
          200: Type.Object({ tokens: Type.Array(Type.Object(tokenFields)) }),
          ...errors(),
        },
      },
    },
    async ({ caller }) => {
      const own = await app.deps.store.tenant(caller.organizationId, async (db) =>
        tokens(db, caller.organizationId).listOf(caller.userId),
      )
      return { tokens: own.map(present) }
    },
  )

  app.post(
    '/auth/tokens',
    {
      config: { access: 'read', sessionOnly: true },
      schema: {
        operationId: 'createMyToken',
        body: Body({
          name: Text(200, 1),
          role: OneOf(roles),
          expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, default: 90 })),
        }),
        response: {
          201: Type.Object({
            ok: Type.Literal(true),
            token: Type.String(),
            ...tokenFields,
          }),
          ...errors(409),
        },
      },
    },
    async ({ caller, body }, reply) => {
      assertRoleAllowed(body.role, caller.role)
      const secret = newToken('pat')
      const created = await app.deps.store.tenant(caller.organizationId, async (db) => {
        const token = await tokens(db, caller.organizationId).createApiToken(caller.userId, {
          name: body.name,
          role: body.role,
          expiresInDays: body.expiresInDays ?? 90,
          hash: secret.hash,
          prefix: secret.prefix,
        })
        await auditLog(db, caller.organizationId, actorOf(caller)).record('auth.token_created', {
          target: { kind: 'token', id: token.id, label: token.name },
          detail: { role: token.role },
        })
        return token
      })
      return reply.status(201).send({ ok: true, token: secret.plain, ...present(created) })
    },
  )

  app.delete(
    '/auth/tokens/:id',
    {
      config: { access: 'read', sessionOnly: true },
      schema: {
        operationId: 'revokeMyToken',
        params: IdParams,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params }) => {
      await app.deps.store.tenant(caller.organizationId, async (db) => {
        const token = await tokens(db, caller.organizationId).revokeOf(caller.userId, params.id)
        await auditLog(db, caller.organizationId, actorOf(caller)).record('auth.token_revoked', {
          target: { kind: 'token', id: token.id, label: token.name },
        })
      })
      return { ok: true as const }
    },
  )
}

function assertRoleAllowed(wanted: Role, own: Role): void {
  if (rank(wanted) <= rank(own)) return
  throw new AppError('forbidden', `Your role (${own}) cannot make a token with ${wanted}.`, {
    code: 'role_above_own',
  })
}
