import { unwrap, type Tenant } from '../../store/driver/tenant.ts'
import { mails } from '../../store/mails/mails.ts'

/** Ends a person's sessions, mailed links and tokens, in the transaction of the change that requires it. */
export function endAccess(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const now = db.fn.now()
  return {
    /** Returns how many were ended. */
    async sessions(userId: number): Promise<number> {
      return db('sessions')
        .where({ organizationId, userId })
        .whereNull('revokedAt')
        .update({ revokedAt: now })
    },

    /** Ends open invitations and password resets: their mails may still be in the old mailbox or on their way. */
    async mailedLinks(userId: number): Promise<void> {
      await db('user_tokens')
        .where({ organizationId, userId })
        .whereNull('usedAt')
        .update({ usedAt: now })
      await mails(tenant).dropLinks(userId)
    },

    /** Returns how many were live. They stay ended if the person is reactivated. */
    async apiTokens(userId: number): Promise<number> {
      return db('tokens')
        .where({ organizationId, userId, kind: 'pat' })
        .whereNull('revokedAt')
        .update({ revokedAt: now })
    },
  }
}
