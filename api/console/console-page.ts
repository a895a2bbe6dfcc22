import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Encoding = 'br' | 'gzip' | 'identity'

export type ConsolePage = {
  /** For the Content-Security-Policy: hashes of the page's one inline script and one style sheet. */
  scriptHashes: string[]
  styleHashes: string[]
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply
}

/** The console's page as it was built, with its compressed copies if there are any. */
export function readConsolePage(path: string): ConsolePage | undefined {
  if (!existsSync(path)) return undefined
  const html = readFileSync(path, 'utf8')
  const bodies = new Map<Encoding, Buffer>([['identity', Buffer.from(html)]])
  for (const [encoding, ending] of [
    ['gzip', '.gz'],
    ['br', '.br'],
  ] as const)
    if (existsSync(path + ending)) bodies.set(encoding, readFileSync(path + ending))
  const version = createHash('sha256').update(html).digest('base64url').slice(0, 22)
  return {
    scriptHashes: hashesOf(html, 'script'),
    styleHashes: hashesOf(html, 'style'),
    send(request, reply) {
      const encoding = best(request.headers['accept-encoding'], bodies)
      const tag = `"${version}-${encoding}"`
      void reply.headers({ etag: tag, vary: 'accept-encoding', 'cache-control': 'no-cache' })
      if (request.headers['if-none-match']?.includes(tag) === true) return reply.status(304).send()
      if (encoding !== 'identity') void reply.header('content-encoding', encoding)
      return reply.type('text/html; charset=utf-8').send(bodies.get(encoding))
    },
  }
}

/** Hashes of the inline texts, byte for byte, so that no other inline script or style runs. */
function hashesOf(html: string, tag: 'script' | 'style'): string[] {
  const inline = html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))
  return [...inline].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
}

function best(header: string | string[] | undefined, bodies: Map<Encoding, Buffer>): Encoding {
  const accepted = String(header ?? '')
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';', 1)[0]?.trim())
  return (
    (['br', 'gzip'] as const).find((one) => accepted.includes(one) && bodies.has(one)) ?? 'identity'
  )
}
