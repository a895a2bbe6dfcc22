import type { PlatformDb } from '../connect.ts'
import type { MailKind } from '../mails/mails.ts'

export type QueuedMail = {
  id: number
  publicId: string
  organizationId: number
  kind: MailKind
  userId: number
  workspaceRunId: number | null
  detail: Record<string, unknown>
  attempts: number
  /** Of the last try: after it, nobody waits for this mail any more. */
  isLast: boolean
}

/** A worker that dies with a mail in hand gives it back after so long; longer than a mail server may take. */
const leaseSeconds = 120
const slowestRetrySeconds = 60
const giveUpAfter = `interval '3 days'`

/** What is to be sent, of all organizations: claimed by lease, so that no transaction is open while a mail server is talked to. */
export function mailQueue(db: PlatformDb) {
  return {
    /** A suspended organization's mails wait with it. */
    async claim(limit: number): Promise<QueuedMail[]> {
      const { rows } = await db.raw(
        `update mails set attempts = attempts + 1, available_at = now() + interval '${leaseSeconds} seconds'
         where id in (
           select m.id from mails m join organizations o on o.id = m.organization_id
           where m.ended_at is null and m.available_at <= now() and o.status = 'active'
           order by m.available_at, m.id limit ? for update of m skip locked)
         returning id, public_id as "publicId", organization_id as "organizationId", kind, user_id as "userId",
           workspace_run_id as "workspaceRunId", detail, attempts, created_at < now() - ${giveUpAfter} as "isLast"`,
        [limit],
      )
      return rows
    },

    async end(id: number, outcome: 'sent' | 'moot' | 'failed', lastError?: string): Promise<void> {
      await db('mails')
        .where({ id })
        .whereNull('endedAt')
        .update({ endedAt: db.fn.now(), outcome, ...(lastError !== undefined && { lastError }) })
    },

    /** Again after a growing pause. The error is a code: a mail server's own words can hold addresses. */
    async again({ id, attempts }: QueuedMail, lastError: string): Promise<void> {
      const seconds = Math.min(slowestRetrySeconds, 2 ** Math.min(attempts, 6))
      await db('mails')
        .where({ id })
        .update({ lastError, availableAt: db.raw(`now() + make_interval(secs => ?)`, [seconds]) })
    },
  }
}
