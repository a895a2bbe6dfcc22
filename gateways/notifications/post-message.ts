import type { Readable } from 'node:stream'
import { AppError } from '../../domain/errors.ts'
import { cutText } from '../../domain/notifications/bound-detail.ts'
import { oneLine } from '../mail/letter.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { retryAfterSeconds } from '../outbound/retry-after.ts'
import type { HttpMessage } from './message.ts'

export type Posted = {
  ok: boolean
  status: number | null
  /** Why it was not accepted: a fixed text, or the beginning of the answer. */
  error: string | null
  /** What the receiver asks for by `Retry-After`. */
  retryAfterSeconds: number | null
}

const timeoutMs = 15_000
const mostBytes = 2_048
const longestError = 200

/**
 * Posts a message to an address that a person chose. The address is checked again, since a name's addresses can
 * change, and no redirect is followed: it could lead to a private address. Of a refusal only a short text is kept,
 * without what it repeats of `secrets`; the rest of an answer is not read, so an endless one costs nothing.
 */
export async function postMessage(
  outbound: Outbound,
  { headers, body }: HttpMessage,
  to: { url: string; secrets: readonly string[]; signal: AbortSignal },
): Promise<Posted> {
  const { url, secrets, signal } = to
  try {
    const answer = await outbound.stream(url, {
      use: 'webhook',
      method: 'POST',
      headers,
      body,
      timeoutMs,
      maxRedirects: 0,
      signal,
    })
    const { status } = answer
    const ok = status >= 200 && status < 300
    if (ok) answer.body.destroy()
    return {
      ok,
      status,
      error: ok ? null : refusal(status, await beginning(answer.body), [url, ...secrets]),
      retryAfterSeconds: retryAfterSeconds(answer.headers['retry-after']) ?? null,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ok: false, status: null, error: error.message, retryAfterSeconds: null }
  }
}

/** The first bytes of an answer that came before it broke off. */
async function beginning(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk))
      bytes += chunk.length
      if (bytes >= mostBytes) break
    }
  } catch {
    // Too slow, or the connection broke: what came is enough.
  }
  body.destroy()
  return Buffer.concat(chunks).subarray(0, mostBytes).toString()
}

function refusal(status: number, text: string, secrets: readonly string[]): string {
  if (status >= 300 && status < 400) return `It redirects (${status}), which is not followed.`
  const shown = cutText(oneLine(without(text, secrets)), longestError)
  return shown ? `It answered ${status}: ${shown}` : `It answered ${status}.`
}

/** An answer can repeat what was sent. Each longer piece of an address is a secret too, as a token of Slack. */
function without(text: string, secrets: readonly string[]): string {
  const pieces = secrets.flatMap((secret) => [secret, ...secret.split(/[/?&=#:@]+/)])
  const known = new Set(pieces.flatMap((piece) => [piece, decoded(piece)]))
  return [...known]
    .filter((piece) => piece.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length)
    .reduce((left, piece) => left.replaceAll(piece, '[removed]'), text)
}

const shortestSecret = 6

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece)
  } catch {
    return piece
  }
}
