import type { Severity } from '../../domain/notifications/notice-events.ts'
import { askNamed } from '../driver/ask-prepared.ts'
import type { PlatformDb } from '../driver/connect.ts'
import type { NotificationKind } from '../notifications/notifications.ts'

/** A message to send now, with its channel, which is leased meanwhile. */
export type QueuedMessage = {
  id: number
  publicId: string
  organizationId: number
  organizationSlug: string
  organizationName: string
  notificationId: number
  kind: NotificationKind
  url: Buffer
  secret: Buffer | null
  /** The key before that one, while it is still valid. */
  oldSecret: Buffer | null
  attempts: number
  /** Consecutive failures of the channel. */
  failures: number
  isLast: boolean
  event: string
  subjectKind: string
  subjectId: string
  subjectLabel: string
  severity: Severity
  title: string
  lines: string[]
  path: string
  detail: Record<string, unknown>
  createdAt: Date
}

type Failure = {
  status: number | null
  error: string
  /** The message is not tried again. */
  isOver: boolean
  /** Until this message is tried again. */
  messageSeconds: number
  /** Until any of the channel is. */
  channelSeconds: number
}

/** `slow`: channels whose last attempt failed or took long. They have places of their own. */
export type Lane = 'well' | 'slow'

/** The lease of a relay on a channel, longer than a receiver may take (gateways/notifications/post-message.ts). */
const leaseSeconds = 45
const giveUpAfter = `interval '3 days'`

/**
 * Messages to webhooks, Slack and Teams, of all organizations. A channel has one message under way at a time, so
 * that its messages keep their order, and an organization a few channels.
 */
export function notificationQueue(db: PlatformDb) {
  const message = ({ organizationId, id }: QueuedMessage) =>
    db('notification_deliveries').where({ organizationId, id }).whereNull('endedAt')
  const channel = ({ organizationId, notificationId: id }: QueuedMessage) =>
    db('notifications').where({ organizationId, id })

  return {
    /**
     * The first channel of each organization comes first, and tests before all else, also of a channel that is left
     * alone after a failure. Messages of a suspended organization wait.
     */
    async claim(lane: Lane, limit: number, ofOrganization: number): Promise<QueuedMessage[]> {
      const isSlow = lane === 'slow'
      const query = db.raw(claimMessages, { isSlow, limit, ofOrganization })
      return askNamed<QueuedMessage>(db, 'claim-messages', query)
    },

    async sent(row: QueuedMessage, { status, isSlow }: { status: number; isSlow: boolean }) {
      await message(row).update({ endedAt: db.fn.now(), outcome: 'sent', status, lastError: null })
      await channel(row).update({
        failures: 0,
        failingSince: null,
        toldAt: null,
        lastSentAt: db.fn.now(),
        lastStatus: status,
        lastError: null,
        isSlow,
        retryAt: db.fn.now(),
        leasedUntil: null,
        // A key that is not used any more is not kept.
        oldSecret: db.raw('case when old_secret_until > now() then old_secret end'),
        oldSecretUntil: db.raw('case when old_secret_until > now() then old_secret_until end'),
      })
    },

    async failed(row: QueuedMessage, why: Failure): Promise<void> {
      const { status, error: lastError } = why
      const after = (seconds: number) => db.raw(`now() + make_interval(secs => ?)`, [seconds])
      await message(row).update({
        status,
        lastError,
        availableAt: after(why.messageSeconds),
        ...(why.isOver && { endedAt: db.fn.now(), outcome: 'failed' }),
      })
      await channel(row).update({
        failures: db.raw('failures + 1'),
        failingSince: db.raw('coalesce(failing_since, now())'),
        lastStatus: status,
        lastError,
        isSlow: true,
        retryAt: after(why.channelSeconds),
        leasedUntil: null,
      })
    },
  }
}

const claimMessages = `
  with waiting as (
    select n.id, n.organization_id, d.id as delivery_id, d.available_at,
      row_number() over (partition by n.organization_id order by d.available_at, d.id) as place
    from notifications n
      join organizations o on o.id = n.organization_id and o.status = 'active'
      cross join lateral (
        select d.id, d.available_at from notification_deliveries d
        where d.notification_id = n.id and d.organization_id = n.organization_id
          and d.ended_at is null and d.available_at <= now()
        order by d.available_at, d.id limit 1) d
    -- A test (store/notifications/deliveries.ts) waits for no backoff.
    where n.kind <> 'email' and n.is_slow = :isSlow and (n.retry_at <= now() or d.available_at = 'epoch')
      and (n.leased_until is null or n.leased_until <= now())),
  busy as (
    select organization_id, count(*) as leased from notifications
    where leased_until > now() and is_slow = :isSlow group by organization_id),
  chosen as (
    select n.id, w.delivery_id from notifications n join waiting w on w.id = n.id
      left join busy b on b.organization_id = w.organization_id
    where w.place <= :ofOrganization - coalesce(b.leased, 0)
      -- Asked again of the locked row: another worker may have leased it since.
      and (n.leased_until is null or n.leased_until <= now())
    order by w.place, w.available_at limit :limit for update of n skip locked),
  leased as (
    update notifications n set leased_until = now() + interval '${leaseSeconds} seconds'
    from chosen c where n.id = c.id
    returning n.id, n.organization_id, n.kind, n.url, n.secret, n.failures, c.delivery_id,
      case when n.old_secret_until > now() then n.old_secret end as old_secret),
  claimed as (
    update notification_deliveries d set attempts = attempts + 1
    from leased l where d.id = l.delivery_id and d.organization_id = l.organization_id and d.ended_at is null
    returning d.id, d.public_id, d.notice_id, d.attempts, d.created_at < now() - ${giveUpAfter} as is_last,
      l.organization_id, l.id as notification_id, l.kind, l.url, l.secret, l.old_secret, l.failures)
  select c.id, c.public_id as "publicId", c.organization_id as "organizationId", o.slug as "organizationSlug",
    o.name as "organizationName", c.notification_id as "notificationId", c.kind, c.url, c.secret, c.old_secret as "oldSecret", c.attempts,
    c.failures, c.is_last as "isLast", t.event, t.subject_kind as "subjectKind", t.subject_id as "subjectId",
    t.subject_label as "subjectLabel", t.severity, t.title, t.lines, t.path, t.detail, t.created_at as "createdAt"
  from claimed c join organizations o on o.id = c.organization_id
    join notices t on t.organization_id = c.organization_id and t.id = c.notice_id`
