import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { notFound, unavailable } from '../../domain/errors.ts'
import { uiUpstream } from '../../gateways/temporal/ui-upstream.ts'

/** Where the UI is shown; its server is told the same (`publicPath`). */
export const temporalUiPath = '/temporal'

const maxPageBytes = 1024 * 1024

/**
 * Temporal's web UI, for platform administrators: it knows neither organizations nor people. It is
 * only read (GET), and only from an address of this service, so that a name which another site
 * lets lead here (DNS rebinding) shows nothing. For everybody else there is no such page.
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
 * The UI is of the console's own origin, and shows what runs wrote. So a script that is injected
 * into it must not run, and one that runs all the same reaches nothing but the UI: no request to the
 * API, no window of the console's, no form. Its own inline script is known by its hash.
 */
function policyOf(page: string, origin: string): string {
  const own = `${origin}${temporalUiPath}/`
  const hashes = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, body = '']) => `'sha256-${createHash('sha256').update(body).digest('base64')}'`,
  )
  return [
    "default-src 'none'",
    ['script-src', `${own}_app/`, ...hashes].join(' '),
    // Its components set styles of elements.
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
    // No encoding is set on the message, so its chunks are buffers.
    const bytes = chunk as Buffer
    length += bytes.length
    if (length > maxPageBytes)
      throw unavailable('temporal_ui_unavailable', 'Temporal’s web UI sent too large a page.')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString()
}
