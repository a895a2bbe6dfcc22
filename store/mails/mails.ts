import type { Db } from '../connect.ts'
import type { ApprovalStage } from '../pipelines/approvals.ts'
import { approvers } from '../pipelines/approvers.ts'

export type MailKind =
  | 'invitation'
  | 'password_reset'
  | 'address_changed'
  | 'approval_waiting'
  | 'certificate_expiring'
  | 'second_factor_removed'

/** Facts of a letter that may have changed when it is written; never a secret. */
export type MailDetail = {
  invitation: { inviter: string }
  password_reset: Record<string, never>
  /** `plan`: its files are to be seen before they are planned. */
  approval_waiting: { stage?: 'plan' }
  address_changed: { changedBy: string; from: string; to: string | null }
  certificate_expiring: { fingerprint: string }
  second_factor_removed: { removedBy: string }
}

/**
 * Mails of one organization, left by the transaction of the change that they tell of and
 * sent by the worker after it. A mail server that is away loses none, and no answer waits for one.
 */
export function mails(db: Db, organizationId: number) {
  const notify = () => db.raw(`select pg_notify('cc_mail', '')`)

  return {
    async queue<K extends keyof MailDetail>(
      kind: K,
      userId: number,
      detail: MailDetail[K],
    ): Promise<void> {
      await db('mails').insert({ organizationId, kind, userId, detail: JSON.stringify(detail) })
      await notify()
    },

    /** Tells everybody who may approve the run now. Who was told of this run before is not told again. */
    async queueApproval(run: { id: number }, stage: ApprovalStage = 'approve'): Promise<void> {
      await approvers(db, organizationId).queueMails(run.id, stage)
      await notify()
    },

    /** Whether a mail that was taken up is still to be sent: nobody has dropped it meanwhile. */
    async isOpen(id: number): Promise<boolean> {
      const row = await db('mails').where({ organizationId, id }).whereNull('endedAt').first('id')
      return row !== undefined
    },

    /** Mails that would bring a link to somebody who must not get one any more. */
    async dropLinks(userId: number): Promise<void> {
      await db('mails')
        .where({ organizationId, userId })
        .whereIn('kind', ['invitation', 'password_reset'])
        .whereNull('endedAt')
        .update({ endedAt: db.fn.now(), outcome: 'moot' })
    },
  }
}
