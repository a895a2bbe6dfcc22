import { createHmac, timingSafeEqual } from 'node:crypto'
import type { GitProduct } from './providers.ts'
import { webhookKeys, type WebhookKeys } from './webhook-secret.ts'

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>

export type SentWebhook = {
  headers: WebhookHeaders
  /** The very bytes: a document that was read and written anew may differ in them. */
  body: Buffer
}

/**
 * Whether this was sent by who was given the connection's secret. GitHub, Bitbucket: HMAC-SHA256
 * over the body, in hex. GitLab: from 19 on a signature as Standard Webhooks has it, and before it
 * the secret itself; a host that has signed once is not believed without (`signs`).
 */
export function isFromHost(
  product: GitProduct,
  { headers, body }: SentWebhook,
  { secret, signs }: { secret: Buffer; signs: boolean },
): boolean {
  const keys = webhookKeys(secret)
  if (product === 'gitlab') return isFromGitlab({ headers, body }, keys, signs)
  const header = product === 'github' ? 'x-hub-signature-256' : 'x-hub-signature'
  const right = `sha256=${createHmac('sha256', keys.token).update(body).digest('hex')}`
  return isSame(textOf(headers, header), right)
}

function isFromGitlab(
  { headers, body }: SentWebhook,
  { token, signingKey }: WebhookKeys,
  signs: boolean,
): boolean {
  const signature = textOf(headers, 'webhook-signature')
  const [id, at] = [textOf(headers, 'webhook-id'), textOf(headers, 'webhook-timestamp')]
  // An old one that is sent again is known by its id: it does nothing, however old it is.
  const mac = createHmac('sha256', signingKey).update(`${id}.${at}.`).update(body).digest('base64')
  // After the hash, which takes longer the longer the body is: an answer that came sooner would tell
  // that there is such a connection.
  if (signature === '' && !signs) return isSame(textOf(headers, 'x-gitlab-token'), token)
  // Several, while a key is changed for another; all are looked at, so that none tells its place.
  return signature
    .split(' ')
    .slice(0, 5)
    .map((one) => isSame(one, `v1,${mac}`))
    .includes(true)
}

export const textOf = (headers: WebhookHeaders, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/** In a time that tells nothing of where they differ: of a signature that can be guessed by it no byte is safe. */
function isSame(told: string, right: string): boolean {
  const [one, other] = [Buffer.from(told), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}
