import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A weak validator (RFC 9110 8.8.3): names of workspaces and accounts may change without another cost version. */
export const tagOf = (...of: readonly unknown[]): string =>
  `W/"${createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 27)}"`

/**
 * Sets the headers of an answer that is made anew only for another cost version, and says whether the caller
 * has it already. A browser may keep it, and asks each time.
 */
export function hasAnswer({ headers }: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  void reply.headers({
    etag: tag,
    'cache-control': 'private, no-cache',
    vary: 'accept, cookie, authorization',
  })
  const known = headers['if-none-match']?.split(',').map((one) => one.trim()) ?? []
  return known.some((one) => one === '*' || one === tag || `W/${one}` === tag)
}

/** The first of the two that the caller accepts; JSON without either. */
export function wantsCsv({ headers }: FastifyRequest, format: 'json' | 'csv' | undefined): boolean {
  if (format !== undefined) return format === 'csv'
  const accepted = (headers.accept ?? '')
    .split(',')
    .map((one) => one.split(';')[0]?.trim().toLowerCase())
  return accepted.find((type) => type === 'text/csv' || type === 'application/json') === 'text/csv'
}
