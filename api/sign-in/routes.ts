import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { capabilitiesOf } from '../../domain/access/roles.ts'
import { sessions } from '../../store/users/sessions.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { sessionCookie } from '../http/access.ts'
import { errors, Nullable } from '../http/schemas.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { logIn, type NewSignIn, type Visitor } from './log-in.ts'
import { AcceptInvitation, Login, Me, SignedIn } from './schemas.ts'

/** §4.7, §5: password sign-in, invitations, and who am I. */
export const signInRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const signedIn = ({ cookie, caller }: NewSignIn, reply: FastifyReply) => {
    void reply.setCookie(sessionCookie, cookie, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: app.deps.config.production,
      maxAge: 7 * 24 * 3600,
    })
    return { ok: true as const, user: userOf(caller), organization: organizationOf(caller) }
  }

  app.post(
    '/auth/login',
    {
      config: { access: 'public' },
      schema: { operationId: 'logIn', body: Login, response: { 200: SignedIn, ...errors() } },
    },
    async (request, reply) =>
      signedIn(await logIn(app.deps, request.body, visitorOf(request)), reply),
  )

  app.post(
    '/auth/invitations/accept',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'acceptInvitation',
        body: AcceptInvitation,
        response: { 200: SignedIn, ...errors() },
      },
    },
    async (request, reply) =>
      signedIn(await acceptInvitation(app.deps, request.body, visitorOf(request)), reply),
  )

  app.post(
    '/auth/logout',
    {
      config: { access: 'read', sessionOnly: true },
      schema: {
        operationId: 'logOut',
        response: {
          200: Type.Object({ ok: Type.Literal(true), redirectUrl: Nullable(Type.String()) }),
          ...errors(),
        },
      },
    },
    async ({ caller }, reply) => {
      await app.deps.store.tenant(caller.organizationId, async (db) => {
        await sessions(db, caller.organizationId).revoke(caller.credentialId)
        await auditLog(db, caller.organizationId, actorOf(caller)).record('auth.logout')
      })
      void reply.clearCookie(sessionCookie, { path: '/' })
      return { ok: true as const, redirectUrl: null }
    },
  )

  app.get(
    '/auth/me',
    {
      config: { access: 'read' },
      schema: { operationId: 'getMe', response: { 200: Me, ...errors() } },
    },
    async ({ caller }) => ({
      user: {
        ...userOf(caller),
        capabilities: capabilitiesOf(caller.role),
        mfaEnabled: false,
        platformAdmin: caller.platformAdmin,
      },
      organization: organizationOf(caller),
      auth: { kind: caller.kind, expiresAt: caller.expiresAt?.toISOString() ?? null },
      temporalUiUrl: caller.platformAdmin ? workflowsUrl(app.deps.config) : null,
    }),
  )
}

const visitorOf = (request: FastifyRequest): Visitor => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'] ?? '',
  requestId: request.id,
})

const userOf = ({ userId, email, name, role }: Caller) => ({ id: userId, email, name, role })

const organizationOf = (caller: Caller) => ({
  id: caller.organizationId,
  slug: caller.organizationSlug,
  name: caller.organizationName,
  status: caller.organizationStatus,
})

const workflowsUrl = ({ temporal: { uiUrl, namespace } }: Config): string | null =>
  uiUrl ? `${uiUrl.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows` : null
