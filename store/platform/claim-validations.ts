import type { PlatformDb } from '../driver/connect.ts'

/**
 * Accounts to validate now. Each is claimed for a minute by moving its time on, so that of several
 * workers one asks its cloud; a worker that dies leaves it to the next.
 */
export async function claimValidations(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; accountId: number }>> {
  const { rows } = await db.raw(
    `update cloud_accounts set next_validation_at = now() + interval '1 minute'
     where id = any(array(
       select a.id from cloud_accounts a join organizations o on o.id = a.organization_id
       where a.disconnected_at is null and a.next_validation_at <= now() and o.status = 'active'
       order by a.next_validation_at limit ? for update of a skip locked))
     returning organization_id as "organizationId", id as "accountId"`,
    [limit],
  )
  return rows
}
