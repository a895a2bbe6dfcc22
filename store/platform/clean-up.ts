import type { PlatformDb } from '../driver/connect.ts'

/**
 * Rows that can be deleted. Each stays at least as long as anything reads it: a lock and its window
 * last 30 min together, a count of requests two minutes.
 */
const over: Readonly<Record<string, string>> = {
  sign_in_failures: `window_started_at < now() - interval '30 minutes'`,
  request_counts: `minute < floor(extract(epoch from now()) / 60) - 5`,
  user_tokens: `expires_at < now() - interval '1 day'`,
  // Used links are kept until they expire, like others: none lives longer than an invitation.
  sessions: `expires_at < now() - interval '1 day'`,
  mails: `ended_at < now() - interval '30 days'`,
  saml_requests: `expires_at < now()`,
  saml_seen: `expires_at < now()`,
  // Longer than any host redelivers by itself.
  git_deliveries: `received_at < now() - interval '30 days'`,
  // A running one is ended first, and takes its places with it.
  cloud_syncs: `ended_at < now() - interval '30 days'`,
  notification_deliveries: `ended_at < now() - interval '30 days'`,
  // Longer than a budget's month, whose event they keep from being told twice; with them goes who read them.
  notices: `created_at < now() - interval '400 days'`,
  idempotency_keys: `created_at < now() - interval '24 hours'`,
}

/**
 * Deletes a limited number of rows of each kind, so that no statement holds locks for long. True if
 * there is more to delete.
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
