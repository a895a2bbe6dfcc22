import { partsOfShape } from '../../domain/json/json-shape.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { outboundFetch } from '../outbound/outbound-fetch.ts'
import { GitRefusal } from './git-refusal.ts'
import { inTurns } from './in-turns.ts'
import { halfAnswer, tooManyParts } from './pick-answer.ts'
import { tooLarge } from './too-large.ts'

type Fetch = typeof globalThis.fetch

/** A file of 10 MiB as JSON has it, and twice the largest listing that GitHub gives. Archives and packs are streamed. */
const maxAnswerBytes = 16 * 1_048_576

/**
 * `fetch` towards a provider. An error answer is thrown as a `GitRefusal`, so that all client libraries fail
 * alike. The token is only used to remove it from error texts. The answer is as the host sent it: `pickAnswer`
 * reads one that may be large.
 */
export function unreadFetch(outbound: Outbound, provider: string, token: string): Fetch {
  const send = outboundFetch(outbound, {
    use: 'git',
    timeoutMs: 30_000,
    maxBytes: maxAnswerBytes,
  })
  return async (input, init) => {
    const answer = await send(input, init).catch((error: unknown) => {
      throw tooLarge(provider, error)
    })
    if (answer.ok) return answer
    const reason = isJson(answer) ? reasonOf(await answer.text(), token) : undefined
    throw new GitRefusal(provider, {
      status: answer.status,
      headers: answer.headers,
      ...(reason && { reason }),
    })
  }
}

/** The same. `json()` parses within a bound, and once; truncated JSON is a fault instead of missing fields. */
export function providerFetch(outbound: Outbound, provider: string, token: string): Fetch {
  const send = unreadFetch(outbound, provider, token)
  return async (input, init) => {
    const answer = await send(input, init)
    const text = await answer.text()
    let parsing: Promise<unknown> | undefined
    // Not a new response, which would encode the text once more.
    return Object.defineProperties(answer, {
      text: { value: async () => text },
      json: { value: async () => (parsing ??= parsed(text, provider)) },
    })
  }
}

export const isJson = ({ headers }: Response): boolean =>
  /\bjson\b/.test(headers.get('content-type') ?? '')

/** Fields and items: twice those of a hundred projects as GitLab lists them. `pickAnswer` reads what may have more. */
const maxMembers = 50_000

/**
 * The host can be one of the tenant's own. An answer of 16 MiB is a few long texts; of as many small values it takes
 * seconds and a gigabyte to parse.
 */
async function parsed(text: string, provider: string): Promise<unknown> {
  if ((await inTurns(partsOfShape(text, maxMembers))) !== undefined) throw tooManyParts(provider)
  try {
    return JSON.parse(text)
  } catch {
    throw halfAnswer(provider)
  }
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
