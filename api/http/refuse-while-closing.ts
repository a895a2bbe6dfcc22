import type { FastifyInstance } from 'fastify'
import { AppError } from '../../domain/errors.ts'

/**
 * Graceful shutdown: requests under way are answered, new ones refused. Fastify's own refusal
 * bypasses the error renderer, so SCIM clients would not get their envelope.
 */
export function refuseWhileClosing(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onRequest', (_request, _reply, next) => {
    if (!closing) return next()
    throw new AppError('unavailable', 'The service is restarting. Try again in a moment.', {
      code: 'restarting',
      retryAfterSeconds: 5,
    })
  })
}
