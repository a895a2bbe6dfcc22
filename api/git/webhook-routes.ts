import type { IncomingMessage } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { errors, IdParams, Ok } from '../http/schemas.ts'
import { createBodyReceiver, maxDeliveryBytes } from './receive-body.ts'
import { takeWebhook } from './take-webhook.ts'

/** A host gives up earlier. A slow sender has one of the few places for large bodies no longer than this. */
const bodyTimeoutMs = 30_000

/** Webhooks of Git hosts. The signature covers the raw bytes, so those are verified before any parsing. */
export const webhookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const receiver = createBodyReceiver()
  app.whenOver((request) => receiver.leave(request))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) =>
    receiver.receive(request, payload),
  )

  app.post(
    '/git/webhooks/:id',
    {
      bodyLimit: maxDeliveryBytes,
      config: { access: 'public', rawBody: true, bodyTimeoutMs },
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
        // As the parser above made it; undefined if there is none.
        body: (body ?? []) as readonly Buffer[],
        onProven: () => app.rateLimits.takeDelivery(request, reply, id),
      })
      return { ok: true as const }
    },
  )
}
