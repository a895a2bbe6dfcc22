import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { SamlRefusal } from '../../domain/saml/saml-refusal.ts'
import { refusalOf, statusOf } from '../http/errors.ts'
import { pageHeaders, postFormPage, refusalPage, troublePage } from './pages.ts'
import type { Onward } from './signed-message.ts'

export function sendOnward(reply: FastifyReply, onward: Onward): FastifyReply {
  if ('location' in onward) return reply.redirect(onward.location, 303)
  const { headers, html } = postFormPage(onward.form)
  return reply.headers(headers).send(html)
}

/**
 * Renders errors of addresses that browsers are sent to: always a page, never JSON. Every refused
 * message is one 400 with one text.
 */
export function renderSamlError(
  thrown: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  void reply.headers(pageHeaders)
  if (thrown instanceof SamlRefusal) {
    request.log.info({ reason: thrown.reason, requestId: request.id }, 'saml message refused')
    return reply.status(400).send(refusalPage)
  }
  const refusal = refusalOf(thrown)
  if (refusal?.fault === 'invalid') return reply.status(400).send(refusalPage)
  if (!refusal) request.log.error({ err: thrown, requestId: request.id }, 'request failed')
  else if (refusal.fault === 'unavailable')
    request.log.warn({ err: thrown, requestId: request.id }, 'a backing service is down')
  if (refusal?.retryAfterSeconds !== undefined)
    void reply.header('retry-after', String(refusal.retryAfterSeconds))
  return reply.status(refusal ? statusOf[refusal.fault] : 500).send(troublePage(request.id))
}
