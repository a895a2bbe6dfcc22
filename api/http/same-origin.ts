import type { FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Stops cross-site request forgery. A browser sends the session cookie with another site's form,
 * but also says in `Origin` or `Sec-Fetch-Site` where the form came from.
 */
export function assertSameOrigin(request: FastifyRequest, baseUrl: string | undefined): void {
  if (reading.has(request.method)) return
  const { origin, 'sec-fetch-site': site } = request.headers
  const sameOrigin =
    origin === undefined ? site === 'same-origin' : origin === ownOrigin(request, baseUrl)
  if (sameOrigin && (site === undefined || site === 'same-origin')) return
  throw crossSite('A change with a session cookie needs an Origin header of this very site.')
}

/**
 * Stops login cross-site request forgery: an attacker's site that signs a browser in to the
 * attacker's account would see what the victim enters next. There is no cookie yet to protect, and
 * scripts send neither header, so only requests that declare a foreign origin are refused.
 */
export function assertNotForeign(request: FastifyRequest, baseUrl: string | undefined): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isOwn = origin === undefined || origin === ownOrigin(request, baseUrl)
  if (isOwn && site !== 'cross-site' && site !== 'same-site') return
  throw crossSite('Sign in on the pages of this very site: this came from another one.')
}

const ownOrigin = (request: FastifyRequest, baseUrl: string | undefined): string =>
  baseUrl ?? `${request.protocol}://${request.host}`

const crossSite = (message: string) => new AppError('forbidden', message, { code: 'cross_site' })
