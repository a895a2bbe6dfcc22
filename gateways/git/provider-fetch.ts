import { unavailable } from '../../domain/errors.ts'
import { faultOfShape } from '../../domain/json/json-shape.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { outboundFetch } from '../outbound/outbound-fetch.ts'
import { GitRefusal } from './git-refusal.ts'
import { tooLarge } from './too-large.ts'

/** A file of 10 MiB as JSON has it, and twice the largest listing that GitHub gives. Archives and packs are streamed. */
const maxAnswerBytes = 16 * 1_048_576

/**
 * `fetch` towards a provider. An error answer is thrown as a `GitRefusal`, so that all client libraries fail
 * alike, and truncated JSON is a fault instead of missing fields. The token is only used to remove it from
 * error texts.
 */
export function providerFetch(
  outbound: Outbound,
  provider: string,
  token: string,
): typeof globalThis.fetch {
  const send = outboundFetch(outbound, {
    use: 'git',
    timeoutMs: 30_000,
    maxBytes: maxAnswerBytes,
  })
  return async (input, init) => {
    const answer = await send(input, init).catch((error: unknown) => {
      throw tooLarge(provider, error)
    })
    const json = /\bjson\b/.test(answer.headers.get('content-type') ?? '')
    if (answer.ok) {
      return json && answer.status !== 204 ? wholeAnswer(answer, provider) : answer
    }
    const reason = json ? reasonOf(await answer.text(), token) : undefined
    throw new GitRefusal(provider, {
      status: answer.status,
      headers: answer.headers,
      ...(reason && { reason }),
    })
  }
}

/** Fields and items: those of a tree of 100,000 files, which is the most that GitHub lists. */
const maxMembers = 700_000

/**
 * The host can be one of the tenant's own. An answer of 16 MiB is a few long texts; of as many small values it takes
 * seconds and a gigabyte to parse.
 */
async function wholeAnswer(answer: Response, provider: string): Promise<Response> {
  const text = await answer.text()
  if (faultOfShape(text, maxMembers) !== undefined)
    throw unavailable('git_provider_unavailable', `${provider} sent an answer of too many parts.`)
  try {
    if (text !== '') JSON.parse(text)
  } catch {
    throw unavailable('git_provider_unavailable', `${provider} sent half an answer.`)
  }
  // Not a clone, which keeps the answer three times. Clients need its address for paging.
  const { status, headers, url } = answer
  const whole = new Response(text === '' ? null : text, { status, headers })
  return Object.defineProperty(whole, 'url', { value: url })
}

const maxReasonLength = 64 * 1_024

/**
 * The provider's own text, as one line: people see it and it is stored, and an attacker may have chosen the
 * host. A host that repeats the token must not show it to every member.
 */
function reasonOf(text: string, token: string): string | undefined {
  if (text.length > maxReasonLength) return undefined
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return undefined
  }
  const words = wordsOf(body)
    // oxlint-disable-next-line no-control-regex -- control characters are what this takes out
    ?.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim()
  return words ? withoutToken(words, token).slice(0, 300) : undefined
}

/** Removes also the part after an `email:`, and both as HTTP's basic scheme encodes them. */
function withoutToken(words: string, token: string): string {
  const secret = token.slice(token.indexOf(':') + 1)
  const forms = [token, secret, ...[token, secret].map((text) => btoa(text).replace(/=+$/, ''))]
  return forms.reduce((text, form) => text.replaceAll(form, '[token]'), words)
}

/** GitHub and GitLab: `message` or `error`; Bitbucket Cloud: `error.message`; Data Center: `errors[].message`. */
function wordsOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body
  if (typeof body !== 'object' || body === null) return undefined
  const { message, error, error_description: described, errors } = body as Record<string, unknown>
  const first = Array.isArray(errors) ? errors[0] : undefined
  for (const candidate of [described, message, error, first]) {
    const words = typeof candidate === 'string' ? candidate : wordsOf(candidate)
    if (words) return words
  }
  return undefined
}
