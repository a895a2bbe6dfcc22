import type { PlatformDb } from '../driver/connect.ts'

export type SignInCandidate = {
  userId: number
  email: string
  organizationId: number
  passwordHash: string | null
  organizationStatus: 'active' | 'suspended'
}

export type Resettable = {
  userId: number
  organizationId: number
  email: string
}

/** Accounts per address that get a reset mail: more than anybody has, and too few for an attacker to flood a mailbox. */
const maxResets = 10

/** The look-ups of a sign-in before the organization is known. */
export function signIn(db: PlatformDb) {
  return {
    /**
     * At most three rows: with more than two matches the caller must name the organization. Rows
     * with a password come first, so that an invitation elsewhere keeps nobody out.
     */
    async candidates(normalEmail: string, organizationSlug?: string): Promise<SignInCandidate[]> {
      const { rows } = await db.raw(
        `select u.id as "userId", u.email, u.organization_id as "organizationId", u.password_hash as "passwordHash",
           o.status as "organizationStatus"
         from users u join organizations o on o.id = u.organization_id
         where lower(u.email) = ? and u.active and u.deprovisioned_at is null
           and (?::text is null or o.slug = ?)
         order by u.password_hash is null, u.id limit 3`,
        [normalEmail, organizationSlug ?? null, organizationSlug ?? null],
      )
      return rows
    },

    /** Whether at most one account can sign in with this address and a password. */
    async hasOneAccount(normalEmail: string): Promise<boolean> {
      const { rows } = await db.raw(
        `select id from users where lower(email) = ? and active and deprovisioned_at is null
           and password_hash is not null limit 2`,
        [normalEmail],
      )
      return rows.length < 2
    },

    /** The accounts that can reset their password: those that have one. */
    async resettable(normalEmail: string): Promise<Resettable[]> {
      const { rows } = await db.raw(
        `select u.id as "userId", u.organization_id as "organizationId", u.email
         from users u join organizations o on o.id = u.organization_id and o.status = 'active'
         where lower(u.email) = ? and u.active and u.deprovisioned_at is null and u.password_hash is not null
         order by u.id limit ${maxResets}`,
        [normalEmail],
      )
      return rows
    },
  }
}
