import type { PlatformDb } from '../driver/connect.ts'

export type DueDigest = { organizationId: number; userId: number }

/** People with events whose daily digest is due, of active organizations. */
export async function dueDigests(db: PlatformDb, limit: number): Promise<DueDigest[]> {
  const { rows } = await db.raw(
    `select distinct r.organization_id as "organizationId", r.user_id as "userId"
     from notice_readers r join organizations o on o.id = r.organization_id and o.status = 'active'
     where r.due_at <= now() and r.due_at is not null and r.mail_id is null limit ?`,
    [limit],
  )
  return rows
}
