import type { PlatformDb } from '../connect.ts'

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

const lockAfterFailures = 5
const lockDurationMinutes = 15

/** Accounts per address that get a reset mail: more than anybody has, and too few for an attacker to flood a mailbox. */
const maxResets = 10

const lockDuration = `interval '${lockDurationMinutes} minutes'`
const isOver = `coalesce(f.locked_until, f.window_started_at + ${lockDuration}) <= now()`

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

    /**
     * Takes one of the five tries before anything is verified, so that of fifty requests at once
     * exactly five are checked. The fifth starts the lock, whose duration does not depend on when
     * the first was. Returns the seconds left of a lock, or 0.
     */
    async takeTry(subject: Buffer): Promise<number> {
      const { rows } = await db.raw(
        `insert into sign_in_failures as f (subject, failures, window_started_at) values (:subject, 1, now())
         on conflict (subject) do update set
           failures = case when ${isOver} then 1 else least(f.failures, ${lockAfterFailures}) + 1 end,
           window_started_at = case when ${isOver} then now() else f.window_started_at end,
           locked_until = case when ${isOver} then null
                               when f.failures + 1 = ${lockAfterFailures} then now() + ${lockDuration}
                               else f.locked_until end
         -- A concurrent try that began earlier has an earlier now(): the lock must not look longer than it is.
         returning failures, least(ceil(extract(epoch from coalesce(locked_until, now()) - now())),
           extract(epoch from ${lockDuration}))::integer as seconds`,
        { subject },
      )
      const { failures, seconds } = rows[0]
      return failures > lockAfterFailures ? Math.max(1, seconds) : 0
    },

    async clearTries(subject: Buffer): Promise<void> {
      await db('sign_in_failures').where({ subject }).delete()
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
