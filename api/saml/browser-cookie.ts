import type { FastifyReply, FastifyRequest } from 'fastify'
import { requestMinutes } from '../../store/saml/saml-requests.ts'
import type { Config } from '../../config.ts'
import { cookieNameOf, isHttps } from '../http/https.ts'

/** One cookie a request, so that two tabs can sign in at once. */
const nameOf = (config: Config, requestId: string): string =>
  cookieNameOf(config, `cc_saml_${requestId.slice(1, 17)}`)

/**
 * Protects against login CSRF (docs/identity.md). `SameSite=None`, because the answer is a form of
 * the identity provider's site and browsers send no other cookie with it; that requires `Secure`.
 * `__Host-` requires the path of the whole host.
 */
const attributesOf = (config: Config) => ({
  path: isHttps(config) ? '/' : '/api/auth/saml',
  httpOnly: true,
  sameSite: 'none' as const,
  secure: true,
})

export function setBrowserCookie(reply: FastifyReply, requestId: string, value: string): void {
  const { config } = reply.server.deps
  const attributes = { ...attributesOf(config), maxAge: requestMinutes * 60 }
  void reply.setCookie(nameOf(config, requestId), value, attributes)
}

export const browserCookieOf = (request: FastifyRequest, requestId: string): string | undefined =>
  request.cookies[nameOf(request.server.deps.config, requestId)]

export function clearBrowserCookie(reply: FastifyReply, requestId: string): void {
  const { config } = reply.server.deps
  void reply.clearCookie(nameOf(config, requestId), attributesOf(config))
}
