import type { FastifyRequest } from 'fastify'

/**
 * Whether a browser navigates to this address, or a monitor asks for its head. Never true for the API's, whose 404 is
 * JSON.
 */
export function isPage({ method, url, headers: { accept } }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = url.split('?', 1)[0] ?? ''
  // Clients that follow the redirect of a sign-in get the page too, whatever they accept.
  if (/^\/(login)?$/.test(path) && (accept === undefined || /^\s*\*\/\*/.test(accept))) return true
  if (!accept?.includes('text/html')) return false
  return !/^\/(api|docs|assets|healthz|readyz|metrics)(\/|$)/.test(path)
}
