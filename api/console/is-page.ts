import type { FastifyRequest } from 'fastify'

/** What a browser's address bar asks for; never anything of the API's, whose 404 is JSON. */
export function isPage({ method, url, headers: { accept } }: FastifyRequest): boolean {
  if (method !== 'GET') return false
  const path = url.split('?', 1)[0] ?? ''
  // A sign-in leads here, by whatever follows a redirect: a program that takes anything comes to it too.
  if (/^\/(login)?$/.test(path) && (accept === undefined || /^\s*\*\/\*/.test(accept))) return true
  if (!accept?.includes('text/html')) return false
  return !/^\/(api|docs|assets|healthz|readyz|metrics)(\/|$)/.test(path)
}
