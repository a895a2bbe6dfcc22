import { Webhook } from 'standardwebhooks'
import type { HttpMessage, Message } from './message.ts'

/**
 * A message as the Standard Webhooks specification says: the signature covers id, time and body, so a receiver
 * can refuse a forged message and one that an attacker recorded and sends again later. While a key is replaced there
 * is one signature of each, with a space between, and a receiver accepts any that fits.
 */
export function webhookMessage(
  message: Message,
  secrets: readonly string[],
  now: Date,
): HttpMessage {
  const { id, event, createdAt, ...data } = message
  const body = JSON.stringify({ type: event, timestamp: createdAt.toISOString(), data })
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': secrets
        .map((secret) => new Webhook(secret).sign(id, now, body))
        .join(' '),
    },
    body,
  }
}
