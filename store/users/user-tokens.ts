import { endInvitationsBy, endShownInvitations } from '../end-shown-invitations.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { PlatformDb } from '../driver/connect.ts'

export type UserTokenPurpose = 'invitation' | 'password_reset' | 'second_factor'

export type TokenOwner = {
  organizationId: number
  userId: number
  email: string | null
  name: string
  organizationName: string
  organizationSlug: string
  organizationStatus: 'active' | 'suspended'
}

/** Mailed links, and the step between password and code: single-use, stored by hash alone. */
export function userTokens(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const live = (hash: Buffer, purpose: UserTokenPurpose) =>
    db('user_tokens')
      .where({ organizationId, hash, purpose })
      .whereNull('usedAt')
      .where('expiresAt', '>', db.fn.now())

  return {
    async create(
      userId: number,
      purpose: UserTokenPurpose,
      token: { hash: Buffer; hours?: number; minutes?: number; shown?: boolean },
    ) {
      const { hash, hours = 0, minutes = 0, shown = false } = token
      await db('user_tokens').insert({
        organizationId,
        userId,
        purpose,
        hash,
        shown,
        expiresAt: db.raw(`now() + make_interval(hours => ?, mins => ?)`, [hours, minutes]),
      })
    },
    /** Compare-and-swap: of two uses of one link exactly one succeeds. */
    async use(hash: Buffer, purpose: UserTokenPurpose): Promise<number | undefined> {
      const [row] = await live(hash, purpose).update({ usedAt: db.fn.now() }).returning('userId')
      return row?.userId
    },
    async useAllOf(userId: number): Promise<void> {
      await db('user_tokens')
        .where({ organizationId, userId })
        .whereNull('usedAt')
        .update({ usedAt: db.fn.now() })
    },
    /** Where the person is promoted: whoever was shown the link must not come in with more than it was given for. */
    async useShownInvitations(userId: number): Promise<void> {
      await db.raw(endShownInvitations('?', '(select ?::integer as user_id)'), [
        userId,
        organizationId,
      ])
    },
    /** Of a person who loses a role or leaves: they may hold the links that they were shown. */
    async useInvitationsBy(inviterId: number): Promise<void> {
      await db.raw(endInvitationsBy(':organizationId', '(select :inviterId::integer as user_id)'), {
        organizationId,
        inviterId,
      })
    },
  }
}

/** The owner of an open token, before the organization is known. None for a person who is not active. */
export async function ownerOfUserToken(
  db: PlatformDb,
  hash: Buffer,
  purpose: UserTokenPurpose,
): Promise<TokenOwner | undefined> {
  const { rows } = await db.raw(
    `select t.organization_id as "organizationId", t.user_id as "userId", u.email, u.name, o.name as "organizationName",
       o.slug as "organizationSlug", o.status as "organizationStatus"
     from user_tokens t
       join users u on u.organization_id = t.organization_id and u.id = t.user_id
       join organizations o on o.id = t.organization_id
     where t.hash = ? and t.purpose = ? and t.used_at is null and t.expires_at > now()
       and u.active and u.deprovisioned_at is null`,
    [hash, purpose],
  )
  return rows[0]
}
