import { createHmac, timingSafeEqual } from 'node:crypto'
import type { GitProduct } from './providers.ts'
import { webhookKeys, type WebhookKeys } from './webhook-secret.ts'

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>

export type WebhookCheck = {
  /** The next of the raw bytes: parsed and serialized again they could differ. */
  add(bytes: Uint8Array): void
  /** Whether the sender has the connection's secret. */
  isRight(): boolean
}

/**
 * Verifies that the sender has the connection's secret. GitHub and Bitbucket: HMAC-SHA256 over the
 * body, in hex. GitLab: from 19 on a signature as in Standard Webhooks, before it the secret itself. A
 * host that has signed once must sign from then on (`signs`), so an attacker cannot downgrade it.
 */
export function webhookCheck(
  product: GitProduct,
  headers: WebhookHeaders,
  { secret, signs }: { secret: Buffer; signs: boolean },
): WebhookCheck {
  const keys = webhookKeys(secret)
  if (product === 'gitlab') return gitlabCheck(headers, keys, signs)
  const header = product === 'github' ? 'x-hub-signature-256' : 'x-hub-signature'
  const mac = createHmac('sha256', keys.token)
  return {
    add: (bytes) => void mac.update(bytes),
    isRight: () => isSame(textOf(headers, header), `sha256=${mac.digest('hex')}`),
  }
}

function gitlabCheck(
  headers: WebhookHeaders,
  { token, signingKey }: WebhookKeys,
  signs: boolean,
): WebhookCheck {
  const signature = textOf(headers, 'webhook-signature')
  const [id, at] = [textOf(headers, 'webhook-id'), textOf(headers, 'webhook-timestamp')]
  // A replayed delivery is recognized by its id, so its age does not matter.
  const mac = createHmac('sha256', signingKey).update(`${id}.${at}.`)
  return {
    add: (bytes) => void mac.update(bytes),
    isRight() {
      const right = `v1,${mac.digest('base64')}`
      // After the hash, whose time grows with the body: an earlier answer would reveal by its time that the
      // connection exists.
      if (signature === '' && !signs) return isSame(textOf(headers, 'x-gitlab-token'), token)
      // Several during a change of keys. All are compared, so that the time does not tell which one matches.
      return signature
        .split(' ')
        .slice(0, 5)
        .map((one) => isSame(one, right))
        .includes(true)
    },
  }
}

export const textOf = (headers: WebhookHeaders, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/** Compares in constant time, so that a caller cannot guess the signature byte by byte. */
function isSame(told: string, right: string): boolean {
  const [one, other] = [Buffer.from(told), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}
