import type { PlatformDb } from '../connect.ts'

/**
 * What is over and says nothing any more. How long each stays is at least as long as
 * anything asks for it: a lock and its window last 30 min together, a request's count two.
 */
const over: Readonly<Record<string, string>> = {
  sign_in_failures: `window_started_at < now() - interval '30 minutes'`,
  request_counts: `minute < floor(extract(epoch from now()) / 60) - 5`,
  user_tokens: `expires_at < now() - interval '1 day'`,
  // Used links end by their time like others: none lives longer than an invitation.
  sessions: `expires_at < now() - interval '1 day'`,
  mails: `ended_at < now() - interval '30 days'`,
  saml_requests: `expires_at < now()`,
  saml_seen: `expires_at < now()`,
  // Longer than any host sends one again by itself.
  git_deliveries: `received_at < now() - interval '30 days'`,
  idempotency_keys: `created_at < now() - interval '24 hours'`,
}

/**
 * Deletes at most so many rows of each kind, so that no statement holds locks for long
 * after a flood. True where there is more to do.
 */
export async function cleanUp(db: PlatformDb, limit: number): Promise<boolean> {
  let more = false
  for (const [table, condition] of Object.entries(over)) {
    const { rowCount } = await db.raw(
      `delete from ${table} where ctid = any(array(
         select ctid from ${table} where ${condition} limit ? for update skip locked))`,
      [limit],
    )
    more ||= rowCount === limit
  }
  return more
}
