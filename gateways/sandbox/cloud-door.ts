import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { audienceOf } from '../../domain/clouds/web-identity.ts'
import type { Lent } from '../clouds/cloud.ts'

/** `over`: the run or its phase has ended. `refused`: what the cloud said, in words of ours. */
export type Lending = { lent: Lent } | { how: 'over' | 'refused' | 'unreachable'; reason: string }

export type CloudDoorOptions = {
  /** Of this run and phase alone. */
  capability: string
  /** Asked at each use, so that nothing is lent after the run is over. */
  lend: () => Promise<Lending>
}

const maxConnections = 32
const maxQuestionBytes = 64 * 1024

/**
 * Lends a run the credentials of its phase, in the dialects in which the clouds' own libraries fetch
 * them again before they expire: so an apply outlives a session of an hour. The account's own key or
 * secret never passes. The server does not listen yet: a workbench does that.
 */
export function createCloudDoor(options: CloudDoorOptions): Server {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 10_000, maxHeaderSize: 16_384 },
    (request, response) => {
      serve(request, options)
        .then((said) => answer(response, said))
        .catch(() => response.destroy())
    },
  )
  let open = 0
  server.on('connection', (socket: Socket) => {
    open += 1
    socket.once('close', () => (open -= 1))
    // So that one run cannot use up the file descriptors of the worker.
    if (open > maxConnections) socket.destroy()
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  return server
}

/** The addresses of the door, below its own. */
export const cloudDoorPaths = {
  aws: '/aws',
  azure: '/azure',
  google: '/google',
  googleToken: '/google/token',
} as const

type Said = { status: number; body: object }

async function serve(request: IncomingMessage, options: CloudDoorOptions): Promise<Said> {
  const url = new URL(request.url ?? '/', 'http://door')
  const asked = `${request.method} ${url.pathname}`
  if (asked === `POST ${cloudDoorPaths.googleToken}`) return exchange(request, options)
  const dialect = dialects[asked]
  if (!dialect) return refuse(404, 'There is nothing here.')
  const sent = (request.headers.authorization ?? '').replace(/^Bearer /i, '')
  if (!isSame(sent, options.capability)) return refuse(401, 'This is not the token of the run.')
  return dialect(url, options)
}

const dialects: Record<string, (url: URL, options: CloudDoorOptions) => Promise<Said>> = {
  // The container credentials of the AWS SDKs and Tools Reference Guide.
  [`GET ${cloudDoorPaths.aws}`]: async (_url, { lend }) =>
    withLent(lend, (lent) =>
      lent.kind === 'aws'
        ? {
            AccessKeyId: lent.accessKeyId,
            SecretAccessKey: lent.secretAccessKey,
            Token: lent.sessionToken,
            Expiration: `${lent.expiresAt.toISOString().slice(0, 19)}Z`,
          }
        : undefined,
    ),

  // The token request of GitHub Actions, which the Azure provider speaks.
  [`GET ${cloudDoorPaths.azure}`]: async (url, { lend }) => {
    const audience = audienceOf('azure', '')
    // A token for another audience would let the run act elsewhere under the name of its workspace.
    if ((url.searchParams.get('audience') ?? audience) !== audience)
      return refuse(400, `Tokens are for ${audience} alone.`)
    return withLent(lend, (lent) => (lent.kind === 'azure' ? { value: lent.assertion } : undefined))
  },

  // What an external_account file exchanges below. It is worth nothing anywhere else.
  [`GET ${cloudDoorPaths.google}`]: async (_url, { capability }) => ({
    status: 200,
    body: { subject_token: capability },
  }),
}

/** RFC 8693. The worker exchanges the run's token itself, so that Google's is known to the masks. */
async function exchange(request: IncomingMessage, options: CloudDoorOptions): Promise<Said> {
  const form = new URLSearchParams(await readBody(request))
  if (!isSame(form.get('subject_token') ?? '', options.capability))
    return refuse(401, 'This is not the token of the run.')
  return withLent(options.lend, (lent) =>
    lent.kind === 'gcp'
      ? {
          access_token: lent.accessToken,
          issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          token_type: 'Bearer',
          expires_in: Math.max(1, Math.floor((lent.expiresAt.getTime() - Date.now()) / 1_000)),
        }
      : undefined,
  )
}

async function withLent(
  lend: CloudDoorOptions['lend'],
  present: (lent: Lent) => object | undefined,
): Promise<Said> {
  const lending = await lend()
  if ('lent' in lending) {
    const body = present(lending.lent)
    return body ? { status: 200, body } : refuse(404, 'The account is of another cloud.')
  }
  return refuse(lending.how === 'unreachable' ? 503 : 403, lending.reason)
}

/** With the fields in which the clouds' libraries look for a reason. */
const refuse = (status: number, message: string): Said => ({
  status,
  body: { code: 'Refused', message, error: 'access_denied', error_description: message },
})

function answer(response: ServerResponse, { status, body }: Said): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': bytes.length,
      'cache-control': 'no-store',
      connection: 'close',
    })
    .end(bytes)
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    // No encoding is set on the message, so its chunks are buffers.
    const bytes = chunk as Buffer
    length += bytes.length
    if (length > maxQuestionBytes) throw new Error('a run asks with more than is read')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString()
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
