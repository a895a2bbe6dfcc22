import { unwrap, type Tenant } from '../driver/tenant.ts'

/** Each kind of mail, with its facts that may have changed by the time it is written; never a secret. */
export type MailDetail = {
  invitation: { inviter: string }
  password_reset: Record<string, never>
  /**
   * `plan`: the files must be looked at before they are planned; with a beginning of a digest, again with other values.
   * `step 1`: of a deployment.
   */
  approval_waiting: { stage?: string }
  run_commented: { commentId: number }
  address_changed: { changedBy: string; from: string; to: string | null }
  certificate_expiring: { fingerprint: string }
  second_factor_removed: { removedBy: string }
  /** These two were queued before accounts were announced to notifications (docs/decisions/0143). */
  cloud_account_unwell: { cloudAccountId: number }
  cloud_account_well: { cloudAccountId: number }
  /** An event that a channel mails, by its id. */
  notice: { noticeId: number }
  /** The events of a day; their rows name the mail. */
  notice_digest: Record<string, never>
  notification_failing: { notificationId: number }
  /** Its receiver answered that the address is gone. */
  notification_disabled: { notificationId: number }
}
export type MailKind = keyof MailDetail

/**
 * The mail queue of one organization. A mail is queued in the transaction of the change it reports,
 * and the worker sends it. No mail is lost while the mail server is down, and no request waits for
 * it.
 */
export function mails(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const notify = () => db.raw(`select pg_notify('cc_mail', '')`)

  return {
    async queue<K extends MailKind>(kind: K, userId: number, detail: MailDetail[K]): Promise<void> {
      await db('mails').insert({ organizationId, kind, userId, detail: JSON.stringify(detail) })
      await notify()
    },

    /** Wakes the worker for mails that another statement queued, when the transaction commits. */
    announce: async (): Promise<void> => void (await notify()),

    /** Whether a claimed mail is still to be sent: it may have been dropped meanwhile. */
    async isOpen(id: number): Promise<boolean> {
      const row = await db('mails').where({ organizationId, id }).whereNull('endedAt').first('id')
      return row !== undefined
    },

    /** Drops queued mails with links for a person who must no longer get one. */
    async dropLinks(userId: number): Promise<void> {
      await db('mails')
        .where({ organizationId, userId })
        .whereIn('kind', ['invitation', 'password_reset'])
        .whereNull('endedAt')
        .update({ endedAt: db.fn.now(), outcome: 'moot' })
    },
  }
}
