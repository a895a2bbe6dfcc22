import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { temporalUiPath } from '../platform/temporal-ui.ts'
import type { Config } from '../../config.ts'
import { capabilitiesOf } from '../../domain/access/roles.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { errors, Nullable } from '../http/schemas.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { logIn } from './log-in.ts'
import { logOut } from './log-out.ts'
import { presentOrganization, presentPerson, presentSignIn } from './present-sign-in.ts'
import { lookAtInvitation } from './look-at-invitation.ts'
import {
  AcceptInvitation,
  InvitationBody,
  LookAtInvitation,
  Login,
  LoginAnswer,
  Me,
  SignedIn,
  VerifyCode,
} from './schemas.ts'
import { clearSessionCookie, setSessionCookie } from './set-session-cookie.ts'
import { verifySecondFactor } from './verify-second-factor.ts'
import { visitorOf } from './visitor.ts'

/** Password sign-in and its second step, invitations, and `GET /api/auth/me`. */
export const signInRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/auth/login',
    {
      config: { access: 'public', opensSession: true },
      schema: { operationId: 'logIn', body: Login, response: { 200: LoginAnswer, ...errors() } },
    },
    async (request, reply) => {
      const step = await logIn(app.deps, request.body, visitorOf(request))
      if ('mfaToken' in step) return { ok: true as const, mfaRequired: true as const, ...step }
      setSessionCookie(reply, step.cookie)
      return presentSignIn(step.caller)
    },
  )

  app.post(
    '/auth/mfa/verify',
    {
      config: { access: 'public', opensSession: true },
      schema: {
        operationId: 'verifySecondFactor',
        body: VerifyCode,
        response: { 200: SignedIn, ...errors() },
      },
    },
    async (request, reply) => {
      const { cookie, caller } = await verifySecondFactor(
        app.deps,
        request.body,
        visitorOf(request),
      )
      setSessionCookie(reply, cookie)
      return presentSignIn(caller)
    },
  )

  app.post(
    '/auth/invitations/look',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'lookAtInvitation',
        description:
          'What an open invitation is to. The token is in the body, because addresses are logged.',
        body: LookAtInvitation,
        response: { 200: Type.Object({ invitation: InvitationBody }), ...errors() },
      },
    },
    async ({ body: { token } }) => {
      const { expiresAt, ...invitation } = await lookAtInvitation(app.deps, token)
      return { invitation: { ...invitation, expiresAt: expiresAt.toISOString() } }
    },
  )

  app.post(
    '/auth/invitations/accept',
    {
      config: { access: 'public', opensSession: true },
      schema: {
        operationId: 'acceptInvitation',
        body: AcceptInvitation,
        response: { 200: SignedIn, ...errors() },
      },
    },
    async (request, reply) => {
      const { cookie, caller } = await acceptInvitation(app.deps, request.body, visitorOf(request))
      setSessionCookie(reply, cookie)
      return presentSignIn(caller)
    },
  )

  app.post(
    '/auth/logout',
    {
      config: { access: 'read', sessionOnly: true, changesCredential: false },
      schema: {
        operationId: 'logOut',
        response: {
          200: Type.Object({ ok: Type.Literal(true), redirectUrl: Nullable(Type.String()) }),
          ...errors(),
        },
      },
    },
    async (request, reply) => {
      const redirectUrl = await logOut(app.deps, request.caller, publicOrigin(request))
      clearSessionCookie(reply)
      return { ok: true as const, redirectUrl }
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
        ...presentPerson(caller),
        capabilities: capabilitiesOf(caller),
        mfaEnabled: caller.mfaEnabled,
        platformAdmin: caller.platformAdmin,
      },
      organization: presentOrganization(caller),
      auth: {
        kind: caller.kind,
        expiresAt: caller.expiresAt?.toISOString() ?? null,
        mayChangeCredentials: !caller.credentialsLocked,
      },
      temporalUiUrl: caller.platformAdmin ? workflowsUrl(app.deps.config) : null,
    }),
  )
}

/** The UI behind this service if there is one, else the operator's address. */
function workflowsUrl({ temporal: { ui, uiUrl, namespace } }: Config): string | null {
  const base = ui ? temporalUiPath : uiUrl?.replace(/\/$/, '')
  return base === undefined || base === ''
    ? null
    : `${base}/namespaces/${encodeURIComponent(namespace)}/workflows`
}
