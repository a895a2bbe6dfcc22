import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** `answered`: false if the client disconnected before its answer was sent whole. */
type Tell = (request: FastifyRequest, reply: FastifyReply, answered: boolean) => void

declare module 'fastify' {
  interface FastifyInstance {
    whenOver: (tell: Tell) => void
  }
  interface FastifyRequest {
    /** `sent`: its handler has ended, so nothing but the connection can end it. */
    progress: 'handled' | 'sent' | 'over'
  }
}

/**
 * Adds `app.whenOver(tell)`. It calls `tell` once for each request: when its answer was sent, or, if its client
 * has disconnected, when its handler has ended. Fastify runs `onResponse` only for an answer that was sent
 * whole, so a client could keep a request out of the log by disconnecting.
 */
export function registerWhenOver(app: FastifyInstance): void {
  const listeners: Tell[] = []
  app.decorate('whenOver', (tell: Tell) => void listeners.push(tell))
  app.decorateRequest('progress', 'handled')
  const end = (request: FastifyRequest, reply: FastifyReply, answered: boolean) => {
    if (request.progress === 'over') return
    request.progress = 'over'
    for (const tell of listeners) tell(request, reply, answered)
  }
  app.addHook('onRequest', (request, reply, next) => {
    const { raw } = reply
    // Also emitted after an answer that was sent whole. A hijacked one never reaches `onSend`.
    raw.once('close', () => {
      if (!raw.writableFinished && (request.progress === 'sent' || reply.sent))
        end(request, reply, false)
    })
    next()
  })
  // A handler that hijacks its reply, or returns nothing, after its client has disconnected reaches no other hook.
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function handle(request, reply) {
      const handled: unknown = handler.call(this, request, reply)
      if (!(handled instanceof Promise)) return handled
      const over = (outcome: unknown) => {
        // An answer or an error goes on to `onSend`, which knows the status.
        if (outcome !== undefined && !reply.sent) return
        if (reply.raw.destroyed) end(request, reply, false)
        else if (request.progress === 'handled') request.progress = 'sent'
      }
      handled.then(over, over)
      return handled
    }
  })
  // oxlint-disable-next-line max-params -- a hook's own arguments
  app.addHook('onSend', (request, reply, payload, next) => {
    if (reply.raw.destroyed) end(request, reply, false)
    else request.progress = 'sent'
    next(null, payload)
  })
  app.addHook('onResponse', (request, reply, next) => {
    end(request, reply, true)
    next()
  })
}
