import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Large answers are compressed. Only for a GET whose answer never has a credential: the length of
     * a compressed answer tells whether a text of the attacker's choice is in it (BREACH).
     */
    compressed?: boolean
  }
}

/** Below it, the answer is a packet or two, which compression does not make fewer. */
const minBytes = 2_048

/**
 * Compresses the answers of the routes that say so (docs/decisions/0202-compressed-answers.md). What
 * is sent as a stream, such as events, is never an answer here.
 */
export function registerCompression(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.config?.compressed) return
    if (route.method !== 'GET')
      throw new Error(`${route.url}: only the answer of a GET may be compressed`)
    const own = route.onSend ?? []
    route.onSend = [...(Array.isArray(own) ? own : [own]), compress]
  })
}

async function compress(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
  if (!isWhole || payload.length < minBytes || reply.statusCode !== 200) return payload
  void reply.header('vary', 'accept-encoding, sec-fetch-site')
  const encoding = isOfOtherSite(request)
    ? undefined
    : encodingOf(request.headers['accept-encoding'])
  if (!encoding) return payload
  const bytes =
    encoding === 'br'
      ? await brotli(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } })
      : await zip(payload, { level: gzipLevel })
  void reply.header('content-encoding', encoding).removeHeader('content-length')
  return bytes
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Measured in the decision: a tenth of the bytes for the least time. */
const brotliQuality = 1
const gzipLevel = 1

/**
 * Another site’s page can open an address here with the cookie of the person (`SameSite=Lax`), as often
 * as it wants. Its answers keep their length, so that it learns nothing from it. A program sends no such header.
 */
function isOfOtherSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

function encodingOf(header: string | string[] | undefined): 'br' | 'gzip' | undefined {
  const accepted = String(header ?? '')
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';')[0]?.trim().toLowerCase())
  return (['br', 'gzip'] as const).find((one) => accepted.includes(one))
}
