import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { spAddresses } from '../../domain/saml/sp-addresses.ts'
import { spMetadata } from '../../domain/saml/sp-metadata.ts'
import { saml } from '../../store/platform/saml.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { errors } from '../http/schemas.ts'

/** §4.1 The service provider's metadata, for an identity provider's administrator to import. */
export const samlMetadataRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/auth/saml/metadata',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getSamlMetadata',
        // Whatever is asked for gets a document: an address that is refused would be one that is known.
        querystring: Type.Object({
          org: Type.Optional(Type.Unsafe<string>({ description: 'Slug of the organization.' })),
        }),
        response: {
          200: {
            description: 'SAML 2.0 metadata. An unknown slug gets the document without one.',
            content: { 'application/samlmetadata+xml': { schema: Type.String() } },
          },
          ...errors(),
        },
      },
    },
    async (request, reply) => {
      const { org } = request.query
      const slug = typeof org === 'string' ? org : ''
      const certificate = await saml(app.deps.store.platform).spCertificate(slug)
      const addresses = spAddresses(publicOrigin(request), certificate && slug)
      return reply
        .type('application/samlmetadata+xml; charset=utf-8')
        .send(spMetadata(addresses, certificate))
    },
  )
}
