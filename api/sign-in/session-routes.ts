import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sessions, type Session } from '../../store/users/sessions.ts'
import { decodeCursor, maxKey, page } from '../http/paging.ts'
import {
  errors,
  Id,
  IdParams,
  NextCursor,
  Nullable,
  Ok,
  OneOf,
  Page,
  Time,
} from '../http/schemas.ts'
import { endSession } from './end-session.ts'
import { clearSessionCookie } from './set-session-cookie.ts'

const SessionBody = Type.Object({
  id: Id,
  current: Type.Boolean({ description: 'The one that asks.' }),
  kind: OneOf(['password', 'saml']),
  ip: Nullable(Type.String()),
  userAgent: Nullable(Type.String()),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
})

const present = (session: Session, currentId: number) => ({
  ...session,
  current: session.id === currentId,
  createdAt: session.createdAt.toISOString(),
  lastSeenAt: session.lastSeenAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
})

/** One's own sessions: listed and ended. Nobody sees another person's. */
export const sessionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/auth/sessions',
    {
      config: { access: 'read', sessionOnly: true },
      schema: {
        operationId: 'listMySessions',
        querystring: Page,
        response: {
          200: Type.Object({ sessions: Type.Array(SessionBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller, query: { limit = 50, cursor } }) => {
      const { organizationId, userId, credentialId } = caller
      const before = decodeCursor(cursor, maxKey)
      const found = await app.deps.store.tenant(organizationId, async (tenant) =>
        sessions(tenant).listOf(userId, { limit: limit + 1, before }),
      )
      const { rows, nextCursor } = page(found, limit)
      return { sessions: rows.map((session) => present(session, credentialId)), nextCursor }
    },
  )

  app.delete(
    '/auth/sessions/:id',
    {
      config: {
        access: 'read',
        sessionOnly: true,
        changesCredential: true,
        // oxlint-disable-next-line max-params -- as the type of a target has them
        target: async (tenant, { id = 0 }, userId) => sessions(tenant).assertOpen(userId, id),
      },
      schema: {
        operationId: 'endMySession',
        params: IdParams,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params }, reply) => {
      await endSession(app.deps, caller, params.id)
      if (params.id === caller.credentialId) clearSessionCookie(reply)
      return { ok: true as const }
    },
  )
}
