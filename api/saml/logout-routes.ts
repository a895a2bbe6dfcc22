import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { receiveLogoutMessage } from '../../domain/saml/receive-logout-message.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { endByIdentityProvider } from './end-by-identity-provider.ts'
import type { SamlVisit } from './note-refusal.ts'
import { sendOnward } from './render-saml.ts'
import { browserAnswers, formLimitBytes, takeSamlForms } from './saml-forms.ts'
import { sendLogoutForm } from './send-logout-form.ts'
import { takeLogoutResponse } from './take-logout-response.ts'
import type { Onward } from './signed-message.ts'
import type { Deps } from '../deps.ts'

const visitOf = (request: FastifyRequest): SamlVisit => ({
  origin: publicOrigin(request),
  ip: request.ip,
  requestId: request.id,
})

/** The raw query: the signature covers its octets, which a parsed query has lost. */
const queryOf = ({ raw: { url = '' } }: FastifyRequest): string => {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}

const MessageFields = Type.Object({
  SAMLRequest: Type.Optional(
    Type.Unsafe<string>({ description: 'LogoutRequest of the identity provider, signed.' }),
  ),
  SAMLResponse: Type.Optional(
    Type.Unsafe<string>({ description: 'LogoutResponse to a logout that began here, signed.' }),
  ),
  RelayState: Type.Optional(Type.Unsafe<string>({ description: 'Given back as it came.' })),
  SigAlg: Type.Optional(
    Type.Unsafe<string>({ description: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256' }),
  ),
  Signature: Type.Optional(
    Type.Unsafe<string>({
      description: 'Base64, over SAMLRequest or SAMLResponse, RelayState and SigAlg as sent.',
    }),
  ),
})

// oxlint-disable-next-line max-params -- the three things that an address was given
async function handle(deps: Deps, request: FastifyRequest, text: string): Promise<Onward> {
  const received = receiveLogoutMessage(request.method === 'GET' ? 'GET' : 'POST', text)
  const visit = visitOf(request)
  return received.claimed.kind === 'SAMLRequest'
    ? endByIdentityProvider(deps, received, visit)
    : takeLogoutResponse(deps, received, visit)
}

/** Single logout: both directions, both bindings. */
export const samlLogoutRoutes: FastifyPluginAsyncTypebox = async (app) => {
  takeSamlForms(app)

  app.get(
    '/auth/saml/slo',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'takeSamlLogoutByRedirect',
        querystring: MessageFields,
        response: browserAnswers(),
      },
    },
    async (request, reply) => sendOnward(reply, await handle(app.deps, request, queryOf(request))),
  )

  app.post(
    '/auth/saml/slo',
    {
      config: { access: 'public' },
      bodyLimit: formLimitBytes,
      schema: {
        operationId: 'takeSamlLogoutByPost',
        consumes: ['application/x-www-form-urlencoded'],
        body: MessageFields,
        response: browserAnswers(),
      },
    },
    async (request, reply) => sendOnward(reply, await handle(app.deps, request, request.formText)),
  )

  app.get(
    '/auth/saml/slo/request',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'sendSamlLogoutByPost',
        querystring: Type.Object({
          state: Type.Optional(
            Type.Unsafe<string>({ description: 'Of the logout whose redirectUrl this is.' }),
          ),
        }),
        response: browserAnswers(),
      },
    },
    async (request, reply) =>
      sendOnward(reply, await sendLogoutForm(app.deps, queryOf(request), visitOf(request))),
  )
}
