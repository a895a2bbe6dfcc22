import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { createResponseVerifier } from '../../gateways/saml/verify-response.ts'
import { saml } from '../../store/platform/saml.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { Body, errors, Text } from '../http/schemas.ts'
import { setSessionCookie } from '../sign-in/set-session-cookie.ts'
import { visitorOf } from '../sign-in/visitor.ts'
import { beginSignIn, questionOf } from './begin-sign-in.ts'
import { browserCookieOf, clearBrowserCookie, setBrowserCookie } from './browser-cookie.ts'
import { pageHeaders, refusalPage } from './pages.ts'
import { renderSamlError, sendOnward } from './render-saml.ts'
import { browserAnswers, formLimitBytes, takeSamlForms } from './saml-forms.ts'
import type { AcsOutcome } from './settle-sign-in.ts'
import { takeAssertion } from './take-assertion.ts'

const failedPlace = '/login?sso=failed'

/** The start of a SAML sign-in: the browser is sent to the identity provider. */
export const samlLoginRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/auth/saml/login',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'beginSamlLogin',
        description:
          'By the domain of an address, or by the slug of an organization. `returnTo` is a path of this site to go to afterwards.',
        body: Body({
          email: Type.Optional(Text(320, 1)),
          slug: Type.Optional(Text(63, 1)),
          returnTo: Type.Optional(Text(1_000, 1)),
        }),
        response: {
          200: Type.Object({
            ok: Type.Literal(true),
            redirectUrl: Type.String(),
            requestId: Type.String(),
          }),
          ...errors(),
        },
      },
    },
    async (request, reply) => {
      const begun = await beginSignIn(app.deps, request.body, publicOrigin(request))
      const { redirectUrl, requestId, browserCookie } = begun
      setBrowserCookie(reply, requestId, browserCookie)
      return { ok: true as const, redirectUrl, requestId }
    },
  )
}

/** The assertion consumer service. Its answers are pages and redirects, never JSON. */
export const samlAssertionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  takeSamlForms(app, renderAcsError)
  const verifier = createResponseVerifier({ twice: app.deps.config.samlSecondVerifier })
  app.addHook('onClose', async () => verifier.close())

  app.post(
    '/auth/saml/acs',
    {
      config: { access: 'public' },
      bodyLimit: formLimitBytes,
      schema: {
        operationId: 'takeSamlResponse',
        consumes: ['application/x-www-form-urlencoded'],
        body: Type.Object({
          SAMLResponse: Type.Optional(
            Type.Unsafe<string>({ description: 'Base64 of the Response.' }),
          ),
          RelayState: Type.Optional(Type.Unsafe<string>({ description: 'As it was sent along.' })),
        }),
        response: browserAnswers(403),
      },
    },
    async (request, reply) => {
      const outcome = await takeAssertion(app.deps, verifier, {
        form: request.formText,
        visit: {
          visitor: visitorOf(request),
          origin: publicOrigin(request),
          browserCookie: (requestId) => browserCookieOf(request, requestId),
          fromBrowser: request.headers['sec-fetch-site'] !== undefined,
        },
      })
      return sendOutcome(reply, outcome)
    },
  )

  app.get(
    '/auth/saml/login/request',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'sendSamlLoginByPost',
        querystring: Type.Object({
          id: Type.Optional(
            Type.Unsafe<string>({ description: 'Of the login whose redirectUrl this is.' }),
          ),
        }),
        response: browserAnswers(),
      },
    },
    async (request, reply) => {
      const { id } = request.query
      const found = typeof id === 'string' && (await saml(app.deps.store.platform).request(id))
      if (!found || found.taken || found.kind === 'logout') throw new SamlRefusal('request_unknown')
      const onward = await app.deps.store.tenant(found.organizationId, async (tenant) =>
        questionOf(app.deps, tenant, {
          id: found.id,
          organization: found,
          origin: publicOrigin(request),
        }),
      )
      if (!onward) throw new SamlRefusal('request_unknown')
      return sendOnward(reply, onward)
    },
  )
}

function sendOutcome(reply: FastifyReply, outcome: AcsOutcome): FastifyReply {
  if (outcome.kind === 'suspended') return sendRefusal(reply, 403)
  if (outcome.kind === 'failed') return reply.redirect(failedPlace, 303)
  clearBrowserCookie(reply, outcome.requestId)
  if (outcome.kind === 'tested') return reply.redirect('/organization/sso?tested=true', 303)
  setSessionCookie(reply, outcome.cookie)
  return reply.redirect(outcome.target, 303)
}

/** Answers 400, so that monitors see a failure, and sends the browser on to the sign-in page by `Refresh`. */
function renderAcsError(thrown: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  if (!(thrown instanceof SamlRefusal)) return renderSamlError(thrown, request, reply)
  request.log.info({ reason: thrown.reason, requestId: request.id }, 'saml response refused')
  return sendRefusal(reply, 400)
}

const sendRefusal = (reply: FastifyReply, status: 400 | 403) =>
  reply
    .status(status)
    .headers({ ...pageHeaders, refresh: `0; url=${failedPlace}` })
    .send(refusalPage)
