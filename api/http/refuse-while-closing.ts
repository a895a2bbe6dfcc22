import type { FastifyInstance } from 'fastify'
import { AppError } from '../../domain/errors.ts'

/**
 * Graceful close: what runs is answered, what comes is refused. Fastify's own refusal steps
 * over the error renderer, and an identity provider would get no SCIM of it.
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
