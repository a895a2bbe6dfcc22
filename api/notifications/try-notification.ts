import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { announceTest } from '../../app/notifications/announce-test.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { AppError } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { channelMarks } from '../../store/notifications/channel-marks.ts'
import { deliveries } from '../../store/notifications/deliveries.ts'
import { notifications } from '../../store/notifications/notifications.ts'
import type { Deps } from '../deps.ts'
import type { Tried } from './schemas.ts'

/** A try of a receiver takes at most 15 s. */
const waitMs = 17_000
const askEveryMs = 250
/** Of channels of mails, which people get. */
const testEverySeconds = 10

/**
 * Sends a test message on the way of every other message, and waits until it was tried, which is once. A channel
 * that is disabled is tried too: people try a channel before they enable it.
 */
export async function tryNotification(deps: Deps, caller: Caller, id: number): Promise<Tried> {
  const { organizationId } = caller
  const { noticeId, recipients } = await deps.store.tenant(organizationId, async (tenant) => {
    const channel = await notifications(tenant).getForUpdate(id)
    if (channel.recipients && !(await channelMarks(tenant).noteTest(id, testEverySeconds)))
      throw new AppError(
        'rate_limited',
        `A notification by email is tested at most once in ${testEverySeconds} seconds. Try again in a moment.`,
        { code: 'too_many_tests', retryAfterSeconds: testEverySeconds },
      )
    await auditLog(tenant, actorOf(caller)).record('notification.tested', {
      target: { kind: 'notification', id, label: channel.name },
    })
    return announceTest(tenant, channel, { key: randomUUID(), by: caller.userId })
  })
  if (recipients !== null) return { state: 'waiting', status: null, error: null, recipients }
  const until = Date.now() + waitMs
  for (;;) {
    const found = await deps.store.tenant(organizationId, async (tenant) =>
      deliveries(tenant).find(id, noticeId),
    )
    if (!found || found.outcome === 'moot')
      return { state: 'failed', status: null, error: 'The channel was changed.', recipients }
    const { status, lastError: error } = found
    if (found.outcome === 'sent') return { state: 'sent', status, error: null, recipients }
    if (error !== null) return { state: 'failed', status, error, recipients }
    if (Date.now() > until) return { state: 'waiting', status, error: null, recipients }
    await sleep(askEveryMs)
  }
}
