import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { disableGone } from '../app/notifications/disable-gone.ts'
import { AppError } from '../domain/errors.ts'
import { testEvent } from '../domain/notifications/notice-events.ts'
import { retrySeconds } from '../domain/notifications/retry-seconds.ts'
import type { Keyring } from '../gateways/keyring/keyring.ts'
import type { HttpMessage, Message } from '../gateways/notifications/message.ts'
import { postMessage, type Posted } from '../gateways/notifications/post-message.ts'
import { slackMessage } from '../gateways/notifications/slack-message.ts'
import { teamsMessage } from '../gateways/notifications/teams-message.ts'
import { webhookMessage } from '../gateways/notifications/webhook-message.ts'
import type { Outbound } from '../gateways/outbound/outbound.ts'
import type { Store } from '../store/driver/connect.ts'
import {
  placeOfOldSecret,
  placeOfSecret,
  placeOfUrl,
} from '../store/notifications/notifications.ts'
import { tellFailing } from '../store/notifications/tell-failing.ts'
import type { ChangeFeed } from '../store/platform/change-feed.ts'
import {
  notificationQueue,
  type Lane,
  type QueuedMessage,
} from '../store/platform/notification-queue.ts'
import { drainQueue, type Relay } from './drain-queue.ts'

export type NotificationRelayOptions = {
  config: Pick<Config, 'baseUrl' | 'apiUrl'>
  store: Store
  keyring: Keyring
  outbound: Outbound
  changes: ChangeFeed
  log: Logger
}

/**
 * Messages under way at once, and those of one organization. A channel that failed or took long goes to the slow
 * lane, so that it holds no place that others wait for.
 */
const lanes: Readonly<Record<Lane, { atOnce: number; ofOrganization: number }>> = {
  well: { atOnce: 24, ofOrganization: 4 },
  slow: { atOnce: 8, ofOrganization: 1 },
}
const slowMs = 2_000
const mostMessageSeconds = 1_800
const mostChannelSeconds = 300
const mostRetryAfterSeconds = 3_600
/** RFC 9110 15.5.11: the address is gone for good. */
const gone = 410

/**
 * Sends messages to webhooks, Slack and Teams, at least once: a message is marked after the receiver has accepted
 * it, so a worker that dies in between sends it again, with the same id.
 */
export function startNotificationRelay(options: NotificationRelayOptions): Relay {
  const queue = notificationQueue(options.store.platform)
  const stopping = new AbortController()
  const drain = (lane: Lane) =>
    drainQueue(
      {
        channel: 'cc_notification',
        pollMs: 1_000,
        atOnce: lanes[lane].atOnce,
        claim: async (limit) => queue.claim(lane, limit, lanes[lane].ofOrganization),
        deliver: async (row: QueuedMessage) => deliver(options, row, stopping.signal),
      },
      options,
    )
  const relays = [drain('well'), drain('slow')]
  return {
    async stop() {
      // What is interrupted is sent again, by the next worker.
      stopping.abort()
      await Promise.all(relays.map(async (relay) => relay.stop()))
    },
  }
}

async function deliver(
  options: NotificationRelayOptions,
  row: QueuedMessage,
  stopping: AbortSignal,
): Promise<void> {
  const { store, log } = options
  const queue = notificationQueue(store.platform)
  const startedMs = performance.now()
  const posted = await post(options, row, stopping)
  if (posted.ok) {
    const isSlow = performance.now() - startedMs > slowMs
    return queue.sent(row, { status: posted.status ?? 0, isSlow })
  }
  if (stopping.aborted) return
  const { id: deliveryId, organizationId, notificationId, attempts, isLast } = row
  const { status } = posted
  const error = posted.error ?? 'It failed.'
  const isGone = status === gone
  // Who tries a channel waits for its one try, and wants no message hours later.
  const isOver = isLast || isGone || row.event === testEvent
  // Without the error's text: it can quote the receiver.
  const about = { deliveryId, organizationId, notificationId, attempts, status }
  if (isOver) log.error(about, 'a notification was given up')
  else log.info(about, 'a notification was not accepted; it is tried again')
  await queue.failed(row, { status, error, isOver, ...pauses(row, posted) })
  await store.tenant(organizationId, async (tenant) =>
    isGone ? disableGone(tenant, row, error) : tellFailing(tenant, notificationId),
  )
}

function pauses({ attempts, failures }: QueuedMessage, { retryAfterSeconds }: Posted) {
  const random = Math.random()
  const asked = Math.min(retryAfterSeconds ?? 0, mostRetryAfterSeconds)
  const ofChannel = retrySeconds(failures, { mostSeconds: mostChannelSeconds, random })
  return {
    messageSeconds: retrySeconds(attempts - 1, { mostSeconds: mostMessageSeconds, random }),
    channelSeconds: Math.max(asked, ofChannel),
  }
}

/** A fault of this service, as a key that is not in the keyring, is a failure too: the message waits for its end. */
async function post(
  { config, keyring, outbound, log }: NotificationRelayOptions,
  row: QueuedMessage,
  signal: AbortSignal,
): Promise<Posted> {
  try {
    const { organizationId } = row
    const url = keyring.open(placeOfUrl(organizationId), row.url).toString()
    const sealed = [
      { place: placeOfSecret(organizationId), value: row.secret },
      { place: placeOfOldSecret(organizationId), value: row.oldSecret },
    ]
    const secrets = sealed.flatMap(({ place, value }) =>
      value ? [keyring.open(place, value).toString()] : [],
    )
    const message = messageOf(row, config.baseUrl ?? config.apiUrl)
    const written = writeMessage(row, message, secrets)
    return await postMessage(outbound, written, { url, secrets, signal })
  } catch (error) {
    const { id: deliveryId, organizationId } = row
    const code = error instanceof AppError ? error.code : 'internal'
    log.warn({ deliveryId, organizationId, code }, 'a notification could not be written')
    const text = error instanceof AppError ? error.message : 'The message could not be written.'
    return { ok: false, status: null, error: text, retryAfterSeconds: null }
  }
}

function writeMessage(
  { kind }: QueuedMessage,
  message: Message,
  secrets: readonly string[],
): HttpMessage {
  if (kind === 'slack') return slackMessage(message)
  if (kind === 'teams') return teamsMessage(message)
  return webhookMessage(message, secrets, new Date())
}

const messageOf = (row: QueuedMessage, baseUrl: string): Message => ({
  id: `msg_${row.publicId}`,
  event: row.event,
  createdAt: row.createdAt,
  organization: {
    id: row.organizationId,
    slug: row.organizationSlug,
    name: row.organizationName,
  },
  subject: { kind: row.subjectKind, id: row.subjectId, label: row.subjectLabel },
  severity: row.severity,
  title: row.title,
  lines: row.lines,
  url: `${baseUrl}${row.path}`,
  detail: row.detail,
})
