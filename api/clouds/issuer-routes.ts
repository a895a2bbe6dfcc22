import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { publishedKeys } from '../../app/clouds/published-keys.ts'
import { discoveryDocument, issuerAddress } from '../../domain/clouds/issuer-address.ts'
import { notFound } from '../../domain/errors.ts'
import { organizationOfIssuer } from '../../store/platform/issuers.ts'
import { errors, NoQuery } from '../http/schemas.ts'
import { issuerOrigin } from './issuer-origin.ts'

const Organization = Type.Object({ organization: Type.String({ maxLength: 36 }) })
const Texts = Type.Array(Type.String())
const DiscoveryDocument = Type.Object({
  issuer: Type.String(),
  jwks_uri: Type.String(),
  response_types_supported: Texts,
  subject_types_supported: Texts,
  id_token_signing_alg_values_supported: Texts,
  scopes_supported: Texts,
  claims_supported: Texts,
})
const KeySet = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      kid: Type.String(),
      use: Type.String(),
      alg: Type.String(),
      n: Type.String(),
      e: Type.String(),
    }),
  ),
})

/** The documents that a cloud reads before it believes a token of an organization's issuer. */
export const issuerRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  const find = async (publicId: string): Promise<number> => {
    const organizationId = await organizationOfIssuer(deps.store.platform, publicId)
    if (organizationId === undefined) throw notFound()
    return organizationId
  }

  app.get(
    '/oidc/:organization/.well-known/openid-configuration',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getIssuerConfiguration',
        params: Organization,
        querystring: NoQuery,
        response: { 200: DiscoveryDocument, ...errors() },
      },
    },
    async ({ params: { organization } }, reply) => {
      await find(organization)
      void reply.header('cache-control', cached)
      return discoveryDocument(issuerAddress(issuerOrigin(deps), organization))
    },
  )

  app.get(
    '/oidc/:organization/jwks.json',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getIssuerKeys',
        params: Organization,
        querystring: NoQuery,
        response: { 200: KeySet, ...errors() },
      },
    },
    async ({ params: { organization } }, reply) => {
      const set = await publishedKeys(deps, await find(organization))
      void reply.header('cache-control', cached)
      return set
    },
  )
}

/** Short beside the day that a key is published before it signs. */
const cached = 'public, max-age=300'
