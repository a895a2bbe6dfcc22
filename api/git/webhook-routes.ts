import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { errors, IdParams, Ok } from '../http/schemas.ts'
import { takeWebhook } from './take-webhook.ts'

/** Room for a push of thousands of commits; hosts send no larger bodies. */
const bodyLimitBytes = 5 * 1_048_576

/** Webhooks of Git hosts. The signature covers the raw bytes, so those are verified before any parsing. */
export const webhookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.post(
    '/git/webhooks/:id',
    {
      bodyLimit: bodyLimitBytes,
      config: { access: 'public', rawBody: true },
      schema: {
        operationId: 'takeGitWebhook',
        description:
          'Called by the Git host of a connection, signed as the host signs. 404 where the signature is not right, as where there is no such connection. A delivery that was taken before does nothing.',
        params: IdParams,
        response: { 200: Ok, ...errors() },
      },
    },
    async (request, reply) => {
      const { headers, body } = request
      const { id } = request.params
      await takeWebhook(app.deps, id, {
        headers,
        body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
        onProven: () => app.rateLimits.takeDelivery(request, reply, id),
      })
      return { ok: true as const }
    },
  )
}
