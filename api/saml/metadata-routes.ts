import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { spAddresses, type SpAddresses } from '../../domain/saml/sp-addresses.ts'
import { spMetadata } from '../../domain/saml/sp-metadata.ts'
import { saml } from '../../store/platform/saml.ts'
import { refusalOf } from '../http/errors.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { errors } from '../http/schemas.ts'

/** The service provider's metadata, for an identity provider's administrator to import. */
export const samlMetadataRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/auth/saml/metadata',
    {
      config: { access: 'public' },
      // Always 200: an unknown slug gets the document without a slug, so slugs cannot be enumerated.
      errorHandler: (error, request, reply) => {
        if (refusalOf(error)?.fault !== 'invalid') throw error
        void send(reply.status(200), spAddresses(publicOrigin(request)))
      },
      schema: {
        operationId: 'getSamlMetadata',
        // Every query gets a document: a refusal would reveal which slugs exist.
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
      return send(reply, spAddresses(publicOrigin(request), certificate && slug), certificate)
    },
  )
}

// oxlint-disable-next-line max-params -- a reply, and what goes into the document
const send = (reply: FastifyReply, addresses: SpAddresses, certificate?: string) =>
  reply.type('application/samlmetadata+xml; charset=utf-8').send(spMetadata(addresses, certificate))
