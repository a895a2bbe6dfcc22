import type { PlatformDb } from '../driver/connect.ts'
import type { MailKind } from '../mails/mails.ts'

export type QueuedMail = {
  id: number
  publicId: string
  organizationId: number
  kind: MailKind
  userId: number
  workspaceRunId: number | null
  /** Of an approval: a run of either kind. */
  applicationRunId: number | null
  detail: Record<string, unknown>
  attempts: number
  /** True for the last attempt. */
  isLast: boolean
}

/** The lease of a worker on a mail, longer than a mail server may take. */
const leaseSeconds = 120
const slowestRetrySeconds = 60
const giveUpAfter = `interval '3 days'`

/** Mails to send, of all organizations. Claimed by lease, so that no transaction is open during SMTP. */
export function mailQueue(db: PlatformDb) {
  return {
    /** Mails of a suspended organization wait. */
    async claim(limit: number): Promise<QueuedMail[]> {
      const { rows } = await db.raw(
        `update mails set attempts = attempts + 1, available_at = now() + interval '${leaseSeconds} seconds'
         where id in (
           select m.id from mails m join organizations o on o.id = m.organization_id
           where m.ended_at is null and m.available_at <= now() and o.status = 'active'
           order by m.available_at, m.id limit ? for update of m skip locked)
         returning id, public_id as "publicId", organization_id as "organizationId", kind, user_id as "userId",
           workspace_run_id as "workspaceRunId", application_run_id as "applicationRunId", detail, attempts, created_at < now() - ${giveUpAfter} as "isLast"`,
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

    /** Retries with backoff. The error is a code: a mail server's own text can contain addresses. */
    async again({ id, attempts }: QueuedMail, lastError: string): Promise<void> {
      const seconds = Math.min(slowestRetrySeconds, 2 ** Math.min(attempts, 6))
      await db('mails')
        .where({ id })
        .update({ lastError, availableAt: db.raw(`now() + make_interval(secs => ?)`, [seconds]) })
    },
  }
}
