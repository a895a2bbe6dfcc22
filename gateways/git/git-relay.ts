import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../domain/errors.ts'
import type { RelayAllowance } from '../../domain/git/relay-allowance.ts'
import { relayPath, type RelayPath } from '../../domain/git/relay-path.ts'
import type { Outbound } from '../outbound/outbound.ts'
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
  /** Asked anew for each request, so that a connection that is gone lends nothing any more. */
  credentialsFor: (host: string, repository: string) => Promise<RelayCredentials | undefined>
  /** What the run's module sources name; asked anew for each request. */
  allowance: RelayAllowance
  /** Told once for each repository; null: it is everybody's. */
  onFetch?: (host: string, repository: string, connectionId: number | null) => void
  /** Told once for each repository that was asked for and is not lent a credential. */
  onRefuse?: (text: string) => void
}

export type GitRelay = {
  /** Does not listen yet: a workbench does that. */
  server: Server
  /** What makes git ask the relay that stands at this address; what is there already stays. */
  environment(url: string, env: Readonly<Record<string, string>>): Record<string, string>
  /** What is replaced in a line of git's, so that the relay's own address is not in it. */
  hidden(): Array<[text: string, shown: string]>
  /** Why the first repository was refused, in words for people. */
  refusal(): string | undefined
  /** What was refused until now was only looked for. */
  forgetRefusals(): void
  /** From now on nothing is fetched. */
  close(): void
}

const maxConnections = 32
/** What git asks with names commits, and is small; a repository's first clone sends a few hundred bytes. */
const maxQuestionBytes = 16 * 1024 * 1024
const maxAnswerBytes = 2 * 1024 ** 3
const answerTimeoutMs = 10 * 60_000

/**
 * Lets the git of a sandbox read those repositories and refs that the run's module sources name, of
 * what its organization's connections may read. The credential is added out here, by code that the sandbox cannot reach: it stands in no
 * variable, file or process of a run. Only fetching passes, redirects are not followed, and
 * whoever asks must know this run's capability, which ends with `init`.
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
    // One run must not use up the file descriptors of the worker that serves the others.
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
 * Asks with one credential after the other and with none at last, for a public repository is
 * everybody's. One that no module source names is asked for with none at all: a module of a public
 * registry may well lead to it, and anybody can read it.
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
      // It is not the credential's fault, so that another one would not help.
      return { refused: `${host}: ${error.message}` }
    }
  }
  if (!refs) return { refused: unnamed(host, repository) }
  return { refused: explainRefusals({ host, repository, refusals, unusable: found.unusable }) }
}

/** What a host of the operator's own network shows to strangers is not everybody's. */
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
      // Some providers send people's browsers elsewhere.
      'user-agent': 'git/cloud-control',
      ...(authorization !== undefined && { authorization }),
    },
    ...(request.method === 'POST' && { body }),
    // A host could lead the credential to another one, or to the metadata address.
    maxRedirects: 0,
    timeoutMs: answerTimeoutMs,
    maxBytes: maxAnswerBytes,
    signal: gone.signal,
  })
}

/** A page that asks to sign in is a 200 as well. */
const isAnswer = ({ status, headers }: Answer) =>
  status === 200 &&
  /^application\/x-git-upload-pack-(advertisement|result)\b/.test(headers['content-type'] ?? '')

async function send(response: ServerResponse, answer: Answer): Promise<void> {
  response.writeHead(200, {
    'content-type': answer.headers['content-type'],
    'cache-control': 'no-cache',
  })
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

/** git shows the text of a refusal as it is, behind `remote:`. */
function refuse(response: ServerResponse, { status, text }: { status: number; text: string }) {
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    .end(`${text}\n`)
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
