import type { Tenant } from '../../store/driver/tenant.ts'
import { mails } from '../../store/mails/mails.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import { sessions } from '../../store/users/sessions.ts'
import { userTokens } from '../../store/users/user-tokens.ts'

/** Ends a person's sessions, mailed links and tokens, in the transaction of the change that requires it. */
export function endAccess(tenant: Tenant) {
  return {
    /** Returns how many were ended. */
    sessions: async (userId: number): Promise<number> => sessions(tenant).revokeAllOf(userId),

    /** Ends open invitations and password resets: their mails may still be in the old mailbox or on their way. */
    async mailedLinks(userId: number): Promise<void> {
      await userTokens(tenant).useAllOf(userId)
      await mails(tenant).dropLinks(userId)
    },

    /** Of a person who is promoted: who was shown their link must not come in with the higher role. */
    shownInvitations: async (userId: number): Promise<void> =>
      userTokens(tenant).useShownInvitations(userId),

    /** Of a person who loses a role or leaves: they must not come in again by a link that they were shown. */
    invitationsBy: async (userId: number): Promise<void> =>
      userTokens(tenant).useInvitationsBy(userId),

    /** Returns how many were live. They stay ended if the person is reactivated. */
    apiTokens: async (userId: number): Promise<number> => tokens(tenant).revokeAllOf(userId),
  }
}
