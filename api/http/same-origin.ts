import type { FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Stops cross-site request forgery: a browser sends the cookie along with another
 * site's form, but says where the form came from (decisions §2).
 */
export function assertSameOrigin(request: FastifyRequest, baseUrl: string | undefined): void {
  if (reading.has(request.method)) return
  const { origin, 'sec-fetch-site': site } = request.headers
  const own = baseUrl ?? `${request.protocol}://${request.host}`
  const sameOrigin = origin === undefined ? site === 'same-origin' : origin === own
  if (sameOrigin && (site === undefined || site === 'same-origin')) return
  throw new AppError(
    'forbidden',
    'A change with a session cookie needs an Origin header of this very site.',
    { code: 'cross_site' },
  )
}
