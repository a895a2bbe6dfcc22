import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { IncomingMessage } from 'node:http'
import type { AgentState } from '../agent-state.ts'
import { isAgentToken } from '../config.ts'
import { messageOf } from '../faults.ts'
import type { Say } from '../say.ts'
import { createBackoff } from './backoff.ts'
import type { Answer, Connection } from './call-service.ts'

export type Service = {
  post(path: string, body: unknown, options: PostOptions): Promise<Answer>
  /** For the bytes of an artifact. */
  get(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage>
  /** Returns once the service knows the token, or the signal comes. */
  signIn(signal: AbortSignal): Promise<void>
}

type PostOptions = { signal: AbortSignal; silentMs?: number }

const silentMs = 20_000

/**
 * The calls of an agent with its own token. The token that the operator set is either that, or one that only enrolls;
 * nothing in it says which, so it is tried. A call that is answered 401 is repeated once if the operator has replaced
 * the token meanwhile: the one before ends an hour after its rotation, which may be in the middle of a deployment.
 */
export function serviceOf({
  connection,
  state,
  readToken,
  greeting,
  say,
}: {
  connection: Connection
  state: AgentState
  readToken: () => string
  /** The body of a heartbeat. */
  greeting: () => unknown
  say: Say
}): Service {
  const post = async (
    path: string,
    body: unknown,
    { token, signal, silentMs: ms = silentMs }: PostOptions & { token: string },
  ) =>
    connection.call({
      method: 'POST',
      path: `/api/agent/${path}`,
      token,
      body,
      signal,
      silentMs: ms,
    })
  let token = ''

  /** What the operator has set now, unless it is the refused one. Undefined also while the file is being replaced. */
  const replacementOf = (refused: string): string | undefined => {
    // Another call found it meanwhile.
    if (token !== refused) return token
    try {
      const found = ownTokenOf(readToken(), state)
      return found !== refused && isAgentToken(found) ? found : undefined
    } catch {
      return undefined
    }
  }
  const withToken = async <T>(
    call: (token: string) => Promise<T>,
    { statusOf, drop }: { statusOf: (answer: T) => number | undefined; drop?: (answer: T) => void },
  ): Promise<T> => {
    const used = token
    const answer = await call(used)
    const other = statusOf(answer) === 401 ? replacementOf(used) : undefined
    if (other === undefined) return answer
    drop?.(answer)
    const again = await call(other)
    if (statusOf(again) !== 401 && token !== other) {
      token = other
      say('info', 'the token was replaced: the new one is used')
    }
    return again
  }
  const enroll = async (joinToken: string, signal: AbortSignal): Promise<Answer> => {
    const name = hostname()
    const answer = await post('enroll', { name }, { token: joinToken, signal })
    const own = answer.body['token']
    if (answer.status === 201 && typeof own === 'string') {
      state.change({ token: own, enrolledWith: hashOf(joinToken) })
      token = own
      say('info', 'enrolled', { name })
    }
    return answer
  }
  const tryToken = async (given: string, signal: AbortSignal): Promise<number> => {
    const own = ownTokenOf(given, state)
    if (own !== given) {
      token = own
      return 200
    }
    const { status } = await post('heartbeat', greeting(), { token: given, signal })
    if (status !== 401) {
      token = given
      return 200
    }
    const enrolled = await enroll(given, signal)
    if (enrolled.status !== 201)
      say('error', whyNotEnrolled[enrolled.status] ?? 'the service refuses the token', {
        status: enrolled.status,
        code: enrolled.code,
      })
    return enrolled.status
  }

  return {
    post: async (path, body, options) =>
      withToken(async (current) => post(path, body, { ...options, token: current }), {
        statusOf: ({ status }) => status,
      }),
    get: async (path, headers, signal) =>
      withToken(
        async (current) =>
          connection.open({
            method: 'GET',
            path: `/api/agent/${path}`,
            token: current,
            headers: { ...headers, accept: 'application/octet-stream' },
            signal,
            silentMs: 30_000,
          }),
        {
          statusOf: ({ statusCode }) => statusCode,
          drop: (message) => void message.destroy(),
        },
      ),

    async signIn(signal) {
      const backoff = createBackoff({ firstMs: 2_000, mostMs: 60_000 })
      while (!signal.aborted) {
        try {
          if ([200, 201].includes(await tryToken(readToken(), signal))) return
        } catch (error) {
          if (!signal.aborted) say('warn', 'the service cannot be asked', { why: messageOf(error) })
        }
        await backoff.wait(signal)
      }
    },
  }
}

const whyNotEnrolled: Record<number, string> = {
  401: 'the service knows no such token: CC_AGENT_TOKEN is wrong, expired or rotated',
  409: 'the service enrolls no agent of this name now',
}

/** With a token that enrolled this agent, the one that it was given then. */
function ownTokenOf(given: string, state: AgentState): string {
  const { token: own, enrolledWith } = state.get()
  return own !== undefined && enrolledWith === hashOf(given) ? own : given
}

/** Tells a new token from the one that was used to enroll, without keeping the latter. */
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
