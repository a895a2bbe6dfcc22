import type { FastifyReply, FastifyRequest } from 'fastify'
import { requestMinutes } from '../../store/saml/saml-requests.ts'

/** One for each request, so that two tabs can sign in at once (decisions §2a). */
const nameOf = (requestId: string): string => `cc_saml_${requestId.slice(1, 17)}`
const path = '/api/auth/saml'

/**
 * Login CSRF (identity.md 2.5). `SameSite=None`, since the answer is a form of the identity
 * provider's site, with which a browser sends no other cookie; and so it must be `Secure`.
 */
export function setBrowserCookie(reply: FastifyReply, requestId: string, value: string): void {
  void reply.setCookie(nameOf(requestId), value, {
    path,
    httpOnly: true,
    sameSite: 'none',
    secure: true,
    maxAge: requestMinutes * 60,
  })
}

export const browserCookieOf = (request: FastifyRequest, requestId: string): string | undefined =>
  request.cookies[nameOf(requestId)]

export function clearBrowserCookie(reply: FastifyReply, requestId: string): void {
  void reply.clearCookie(nameOf(requestId), {
    path,
    httpOnly: true,
    sameSite: 'none',
    secure: true,
  })
}
