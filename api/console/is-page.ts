import type { FastifyRequest } from 'fastify'

/** What a browser's address bar asks for; never anything of the API's, whose 404 is JSON. */
export function isPage({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' || !headers.accept?.includes('text/html')) return false
  const path = url.split('?', 1)[0] ?? ''
  return !/^\/(api|docs|assets|healthz|readyz|metrics)(\/|$)/.test(path)
}
