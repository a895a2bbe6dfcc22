import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { notFound, unavailable } from '../../domain/errors.ts'
import { uiUpstream } from '../../gateways/temporal/ui-upstream.ts'

/** The path of the UI; its server is configured with the same (`publicPath`). */
export const temporalUiPath = '/temporal'

const maxPageBytes = 1024 * 1024

/**
 * Temporal's web UI, for platform administrators: it has no tenancy. Read-only (GET), and only under
 * an address of this service, so that an attacker's name that resolves to it (DNS rebinding) shows
 * nothing. To everybody else the pages do not exist.
 */
export const temporalUiRoutes: FastifyPluginAsync = async (app) => {
  const { temporal, baseUrl } = app.deps.config
  const ask = uiUpstream(temporal)
  if (!ask) return

  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isOwnHost(request, baseUrl)) throw notFound()
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const accept = request.headers.accept ?? '*/*'
    const answer = await ask(request.raw.url ?? temporalUiPath, { accept, signal: gone.signal })
    const type = answer.headers['content-type'] ?? 'application/octet-stream'
    void reply.status(answer.statusCode ?? 502).header('content-type', type)
    const isPage = type.startsWith('text/html')
    if (isImmutable(request)) void reply.header('cache-control', 'private, max-age=31536000')
    void reply.headers(fixedHeaders)
    if (!isPage)
      return reply.header('content-security-policy', "default-src 'none'; sandbox").send(answer)
    const page = await textOf(answer)
    const origin = baseUrl ?? `${request.protocol}://${request.host}`
    return reply.header('content-security-policy', policyOf(page, origin)).send(page)
  }
  for (const url of [temporalUiPath, `${temporalUiPath}/*`])
    app.get(url, { config: { access: 'platform' }, schema: { hide: true } }, show)
}

const fixedHeaders = {
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

const isImmutable = ({ url }: FastifyRequest): boolean =>
  url.startsWith(`${temporalUiPath}/_app/immutable/`)

function isOwnHost({ host, hostname }: FastifyRequest, baseUrl: string | undefined): boolean {
  if (baseUrl !== undefined) return new URL(baseUrl).host === host
  return hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}

/**
 * The UI shares the console's origin and shows what runs wrote. Its Content-Security-Policy blocks
 * injected scripts, and keeps any script that runs anyway from the API, from the console's windows
 * and from forms. The UI's own inline script is allowed by its hash.
 */
function policyOf(page: string, origin: string): string {
  const own = `${origin}${temporalUiPath}/`
  const hashes = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, body = '']) => `'sha256-${createHash('sha256').update(body).digest('base64')}'`,
  )
  return [
    "default-src 'none'",
    ['script-src', `${own}_app/`, ...hashes].join(' '),
    // The UI's components set inline styles.
    `style-src ${own} 'unsafe-inline'`,
    `img-src ${own} data:`,
    `font-src ${own} data:`,
    `connect-src ${own}`,
    `manifest-src ${own}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    'sandbox allow-scripts allow-same-origin allow-forms allow-downloads',
  ].join('; ')
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer) {
    // The message has no encoding, so its chunks are buffers.
    const bytes = chunk as Buffer
    length += bytes.length
    if (length > maxPageBytes)
      throw unavailable('temporal_ui_unavailable', 'Temporal’s web UI sent too large a page.')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString()
}
