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
/** The mails of one organization that all workers send at once. */
const ofOrganization = 4
const slowestRetrySeconds = 60
const giveUpAfter = `interval '3 days'`

/** Mails to send, of all organizations. Claimed by lease, so that no transaction is open during SMTP. */
export function mailQueue(db: PlatformDb) {
  return {
    /**
     * The first mail of each organization comes first, and of these a person's link: a password reset waits behind
     * no organization that mails thousands. Mails of a suspended organization wait.
     */
    async claim(limit: number): Promise<QueuedMail[]> {
      const { rows } = await db.raw(claimMails, { limit, ofOrganization })
      return rows
    },

    async end(id: number, outcome: 'sent' | 'moot' | 'failed', lastError?: string): Promise<void> {
      await db('mails')
        .where({ id })
        .whereNull('endedAt')
        .update({
          endedAt: db.fn.now(),
          outcome,
          leasedUntil: null,
          ...(lastError !== undefined && { lastError }),
        })
    },

    /** Retries with backoff. The error is a code: a mail server's own text can contain addresses. */
    async again({ id, attempts }: QueuedMail, lastError: string): Promise<void> {
      const seconds = Math.min(slowestRetrySeconds, 2 ** Math.min(attempts, 6))
      await db('mails')
        .where({ id })
        .update({
          lastError,
          leasedUntil: null,
          availableAt: db.raw(`now() + make_interval(secs => ?)`, [seconds]),
        })
    },
  }
}

/** `place` counts what is under way too, so that an organization that waits for nothing yet comes first. */
const claimMails = `
  with busy as (
    select organization_id, count(*) as leased from mails
    where leased_until > now() and ended_at is null group by organization_id),
  waiting as (
    select m.id, m.is_link, m.available_at, coalesce(b.leased, 0)
      + row_number() over (partition by o.id order by m.is_link desc, m.available_at, m.id) as place
    from organizations o
      -- Two exact probes of the index: rows that are not due yet are not read.
      cross join (values (true), (false)) as l(is_link)
      cross join lateral (
        select m.id, m.is_link, m.available_at from mails m
        where m.organization_id = o.id and m.is_link = l.is_link and m.ended_at is null and m.available_at <= now()
        order by m.available_at, m.id limit :ofOrganization) m
      left join busy b on b.organization_id = o.id
    where o.status = 'active'),
  chosen as (
    select m.id from mails m join waiting w on w.id = m.id
    where w.place <= :ofOrganization
      -- Asked again of the locked row: another worker may have claimed it since.
      and m.ended_at is null and m.available_at <= now()
    order by w.place, w.is_link desc, w.available_at, w.id limit :limit for update of m skip locked)
  update mails m set attempts = attempts + 1, available_at = now() + interval '${leaseSeconds} seconds',
    leased_until = now() + interval '${leaseSeconds} seconds'
  from chosen c where m.id = c.id
  returning m.id, public_id as "publicId", organization_id as "organizationId", kind, user_id as "userId",
    workspace_run_id as "workspaceRunId", application_run_id as "applicationRunId", detail, attempts,
    created_at < now() - ${giveUpAfter} as "isLast"`
