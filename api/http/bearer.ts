import type { FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.ts'

/** `Authorization: Bearer`, and for OpenTofu's http backend the password of basic auth. */
export function bearerOf(request: FastifyRequest, basicToo: boolean): string | undefined {
  const header = request.headers.authorization
  if (header === undefined) return undefined
  const [scheme = '', value = '', more] = header.split(' ')
  if (more !== undefined) throw unauthenticated()
  if (scheme.toLowerCase() === 'bearer') return value
  if (basicToo && scheme.toLowerCase() === 'basic') {
    const text = Buffer.from(value, 'base64').toString()
    return text.slice(text.indexOf(':') + 1)
  }
  throw unauthenticated()
}

export const unauthenticated = () =>
  new AppError('unauthenticated', 'Sign in first, or send a valid token.', {
    code: 'unauthenticated',
  })
