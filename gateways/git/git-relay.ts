import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../domain/errors.ts'
import type { RelayAllowance } from '../../domain/git/relay-allowance.ts'
import { relayPath, type RelayPath } from '../../domain/git/relay-path.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { freeBuffers } from './free-buffers.ts'
import { explainRefusals, type RelayRefusal } from './explain-refusals.ts'
import { relayEnvironment, type RelayHost } from './relay-environment.ts'
import { narrowAnswer, refsSeen, refuseWants, type RefsSeen } from './narrow-fetch.ts'

export type RelayCredential = { connectionId: number; authorization: string }
export type RelayCredentials = {
  origin: string
  /** The likeliest first. */
  credentials: readonly RelayCredential[]
  /** Of connections that are not healthy: what is the matter with them, in words. */
  unusable: readonly string[]
}

export type GitRelayOptions = {
  outbound: Pick<Outbound, 'stream' | 'rules'>
  hosts: readonly RelayHost[]
  /** Called for each request, so that a deleted connection lends nothing. */
  credentialsFor: (host: string, repository: string) => Promise<RelayCredentials | undefined>
  /** What the run's module sources name. */
  allowance: RelayAllowance
  /** Called once for each repository; null: it is public. */
  onFetch?: (host: string, repository: string, connectionId: number | null) => void
  /** Called once for each repository that no credential is lent for. */
  onRefuse?: (text: string) => void
}

export type GitRelay = {
  /** Does not listen yet: a workbench does that. */
  server: Server
  /** The environment that directs git to the relay at this address, added to the given one. */
  environment(url: string, env: Readonly<Record<string, string>>): Record<string, string>
  /** Replacements that keep the relay's own address out of git's output. */
  hidden(): Array<[text: string, shown: string]>
  /** Why the first repository was refused, for people. */
  refusal(): string | undefined
  /** Forgets refusals of mere look-ups. */
  forgetRefusals(): void
  /** Nothing is fetched after this. */
  close(): void
}

const maxConnections = 32
/** Requests of git list commits and are small: a first clone sends a few hundred bytes. */
const maxQuestionBytes = 16 * 1024 * 1024
const maxAnswerBytes = 2 * 1024 ** 3
const answerTimeoutMs = 10 * 60_000

/**
 * Lets the git of a sandbox read the repositories and refs that the run's module sources name, as far as
 * the organization's connections may read them. The credential is added outside of the sandbox: no
 * variable, file or process of a run has it. Only fetches pass, redirects are not followed, and requests
 * need this run's capability, which ends with `init`.
 */
export function createGitRelay(options: GitRelayOptions): GitRelay {
  const capability = randomBytes(24).toString('base64url')
  const told = new Set<string>()
  let closed = false
  let refused: string | undefined
  let base: string | undefined
  const seen = refsSeen()

  const serve = async (exchange: Exchange) => {
    const asked = relayPath(exchange.request.method ?? '', exchange.request.url ?? '')
    if (closed || !asked || !isSame(asked.capability, capability))
      return refuse(exchange.response, { status: 404, text: 'Only fetching passes here.' })
    const outcome = await passOn(exchange, { asked, options, seen })
    if ('refused' in outcome) {
      refused ??= outcome.refused
      if (!told.has(outcome.refused)) options.onRefuse?.(outcome.refused)
      told.add(outcome.refused)
      return refuse(exchange.response, { status: 403, text: outcome.refused })
    }
    const name = `${asked.host}/${asked.repository}`
    if (told.has(name)) return undefined
    told.add(name)
    return options.onFetch?.(asked.host, asked.repository, outcome.connectionId)
  }
  const server = createServer(
    { headersTimeout: 10_000, maxHeaderSize: 16_384 },
    (request, response) => {
      serve({ request, response }).catch(() => response.destroy())
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

  return {
    server,
    environment(url, env) {
      base = `${url}/${capability}/`
      return relayEnvironment(base, options.hosts, env)
    },
    hidden: () => [...(base ? [[base, 'https://'] as [string, string]] : []), [capability, '…']],
    refusal: () => refused,
    forgetRefusals: () => (refused = undefined),
    close() {
      closed = true
      server.closeAllConnections()
    },
  }
}

type Exchange = { request: IncomingMessage; response: ServerResponse }
type Question = { asked: RelayPath; options: GitRelayOptions; seen: RefsSeen }
type Outcome = { connectionId: number | null } | { refused: string }

/**
 * Tries one credential after the other, and last none, for public repositories. A repository that no
 * module source names is only asked for without a credential: a public registry's module may lead to it.
 */
async function passOn(exchange: Exchange, question: Question): Promise<Outcome> {
  const { asked, options, seen } = question
  const { host, repository } = asked
  const found = await options.credentialsFor(host, repository)
  if (!found) return { refused: `There is no Git connection to ${host} any more.` }
  const refs = options.allowance.refsOf(host, repository)
  if (!refs && isPrivate(options, found.origin)) return { refused: unnamed(host, repository) }
  const body = await readBody(exchange.request)
  if (!body) return { refused: `git asked ${host} with more than is passed on.` }
  const fetching = refs && { request: exchange.request, body, asked, refs, seen }
  const strange = fetching && (await refuseWants(fetching))
  if (strange) return { refused: strange }

  const refusals: RelayRefusal[] = []
  const anonymous = { connectionId: null, authorization: undefined }
  for (const { connectionId, authorization } of [...(refs ? found.credentials : []), anonymous]) {
    try {
      const answer = await ask(exchange, { ...question, body, authorization, ...found })
      if (isAnswer(answer)) {
        const narrowed = fetching ? await narrowAnswer(answer, fetching) : answer
        if (!narrowed)
          return { refused: `${host} tells of ${repository} in a way that is not read.` }
        await send(exchange.response, narrowed)
        return { connectionId }
      }
      answer.body.destroy()
      refusals.push({ connectionId, status: answer.status === 200 ? 404 : answer.status })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // Not the credential's fault, so another one would not help.
      return { refused: `${host}: ${error.message}` }
    }
  }
  if (!refs) return { refused: unnamed(host, repository) }
  return { refused: explainRefusals({ host, repository, refusals, unusable: found.unusable }) }
}

/** Whether it is in the operator's own network, where an answer without credentials does not mean public. */
function isPrivate({ outbound }: GitRelayOptions, origin: string): boolean {
  const { hostname, port, protocol } = new URL(origin)
  const name = hostname.replace(/^\[|\]$/g, '')
  const at = Number(port || (protocol === 'https:' ? 443 : 80))
  return outbound.rules.privateHosts.some(
    (one) => one.use === 'git' && one.host === name && one.port === at,
  )
}

const unnamed = (host: string, repository: string) =>
  `${host}/${repository} is named by no module source of this configuration, so no Git connection reads it. Name it in a source, or in a comment: # source = "git::https://${host}/${repository}.git"`

type Asking = Question & { body: Buffer; authorization: string | undefined; origin: string }
type Answer = Awaited<ReturnType<Outbound['stream']>>

function ask(
  { request, response }: Exchange,
  { asked, options, body, authorization, origin }: Asking,
): Promise<Answer> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const passed = ['accept', 'content-type', 'content-encoding', 'git-protocol'].flatMap((name) => {
    const value = request.headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return options.outbound.stream(`${origin}${asked.path}`, {
    use: 'git',
    method: request.method ?? 'GET',
    headers: {
      ...Object.fromEntries(passed),
      // Some providers redirect browsers.
      'user-agent': 'git/cloud-control',
      ...(authorization !== undefined && { authorization }),
    },
    ...(request.method === 'POST' && { body }),
    // A redirect could lead the credential to another host, or to the metadata address.
    maxRedirects: 0,
    timeoutMs: answerTimeoutMs,
    maxBytes: maxAnswerBytes,
    signal: gone.signal,
  })
}

/** A sign-in page is a 200 too. */
const isAnswer = ({ status, headers }: Answer) =>
  status === 200 &&
  /^application\/x-git-upload-pack-(advertisement|result)\b/.test(headers['content-type'] ?? '')

async function send(response: ServerResponse, answer: Answer): Promise<void> {
  response.writeHead(200, {
    'content-type': answer.headers['content-type'],
    'cache-control': 'no-cache',
  })
  answer.body.on('data', ({ length }: Buffer) => freeBuffers(length))
  await pipeline(answer.body, response)
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    // No encoding is set on the message, so its chunks are buffers.
    const bytes = chunk as Buffer
    length += bytes.length
    if (length > maxQuestionBytes) return undefined
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** git shows the text of a refusal after `remote:`. */
function refuse(response: ServerResponse, { status, text }: { status: number; text: string }) {
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    .end(`${text}\n`)
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
