import type { PlatformDb } from '../connect.ts'

export type SignInCandidate = {
  userId: number
  organizationId: number
  passwordHash: string | null
  organizationStatus: 'active' | 'suspended'
}

export const lockAfterFailures = 5
export const lockDurationMinutes = 15

/** What a sign-in needs before any organization is known. */
export function signIn(db: PlatformDb) {
  return {
    /** At most three rows: from the third on, the caller must name the organization (decisions §2). */
    async candidates(email: string, organizationSlug?: string): Promise<SignInCandidate[]> {
      const { rows } = await db.raw(
        `select u.id as "userId", u.organization_id as "organizationId", u.password_hash as "passwordHash",
           o.status as "organizationStatus"
         from users u join organizations o on o.id = u.organization_id
         where lower(u.email) = lower(?) and u.active and u.deprovisioned_at is null
           and (?::text is null or o.slug = ?)
         order by u.id limit 3`,
        [email, organizationSlug ?? null, organizationSlug ?? null],
      )
      return rows
    },

    /**
     * Takes one of the five tries before anything is verified, so that of fifty at
     * once exactly five are checked (§8). Returns the seconds left of a lock, or 0.
     */
    async takeTry(subject: Buffer): Promise<number> {
      const { rows } = await db.raw(
        `insert into sign_in_failures as f (subject, failures, window_started_at) values (?, 1, now())
         on conflict (subject) do update set
           failures = case when f.window_started_at < now() - interval '${lockDurationMinutes} minutes' then 1
                           else f.failures + 1 end,
           window_started_at = case when f.window_started_at < now() - interval '${lockDurationMinutes} minutes' then now()
                                    else f.window_started_at end,
           locked_until = case when f.window_started_at < now() - interval '${lockDurationMinutes} minutes' then null
                               when f.locked_until is null and f.failures + 1 > ${lockAfterFailures}
                                 then now() + interval '${lockDurationMinutes} minutes'
                               else f.locked_until end
         returning failures, ceil(extract(epoch from coalesce(locked_until, now()) - now()))::integer as seconds`,
        [subject],
      )
      const { failures, seconds } = rows[0]
      return failures > lockAfterFailures ? Math.max(1, seconds) : 0
    },

    async clearTries(subject: Buffer): Promise<void> {
      await db('sign_in_failures').where({ subject }).delete()
    },
  }
}
