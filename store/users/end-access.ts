import type { Db } from '../connect.ts'
import { mails } from '../mails/mails.ts'

/** What a person signs in with or acts by, taken away in the transaction of the change that calls for it. */
export function endAccess(db: Db, organizationId: number) {
  const now = db.fn.now()
  return {
    /** Returns how many. */
    async sessions(userId: number): Promise<number> {
      return db('sessions')
        .where({ organizationId, userId })
        .whereNull('revokedAt')
        .update({ revokedAt: now })
    },

    /** Open invitations and password resets: they were sent to an address, and may lie in its mailbox still, or go there yet. */
    async mailedLinks(userId: number): Promise<void> {
      await db('user_tokens')
        .where({ organizationId, userId })
        .whereNull('usedAt')
        .update({ usedAt: now })
      await mails(db, organizationId).dropLinks(userId)
    },

    /** Returns how many were live. They do not come back with a person who is activated again. */
    async apiTokens(userId: number): Promise<number> {
      return db('tokens')
        .where({ organizationId, userId, kind: 'pat' })
        .whereNull('revokedAt')
        .update({ revokedAt: now })
    },
  }
}
