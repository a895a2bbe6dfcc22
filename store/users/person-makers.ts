import type { Caller } from '../../domain/access/caller.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { everybodyBehind } from '../everybody-behind.ts'
import { newestMaking } from '../newest-making.ts'
import { saversBehind } from '../savers-behind.ts'

export type Making = 'invited' | 'readdressed' | 'reactivated' | 'promoted'

/**
 * Who invited, re-addressed, reactivated or promoted a person, written in the transaction of that
 * change. An author of a run who makes an approver would otherwise approve the run alone
 * (store/approval-rule.ts).
 */
export function personMakers(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async note(userId: number, madeBy: readonly number[], what: Making): Promise<void> {
      if (madeBy.length === 0) return
      await db.raw(
        `insert into person_makers (organization_id, user_id, made_by, what)
         select distinct :organizationId::integer, :userId::integer, maker, :what::text
         from unnest(:madeBy::integer[]) as maker ${newestMaking}`,
        { organizationId, userId, madeBy: [...madeBy], what },
      )
    },

    /** For a change by a member: who configured the identity provider that signed them in could have made it. */
    async noteByCaller(userId: number, caller: Caller, what: Making): Promise<void> {
      await this.note(userId, (await saversBehind(tenant, caller)) ?? [], what)
      // Last, since an invitation names its newest maker (store/platform/open-invitation.ts).
      await this.note(userId, [caller.userId], what)
    },

    /** For a change by a SCIM token: who made the token may know it, and could have sent the request. */
    async noteByScimToken(userId: number, tokenId: number, what: Making): Promise<void> {
      await db.raw(
        `insert into person_makers (organization_id, user_id, made_by, what)
         select t.organization_id, :userId::integer, behind.id, :what::text
         from tokens t ${everybodyBehind('t', 'user_id')}
         where t.organization_id = :organizationId and t.id = :tokenId
         ${newestMaking}`,
        { organizationId, userId, tokenId, what },
      )
    },
  }
}
