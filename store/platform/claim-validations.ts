import type { PlatformDb } from '../driver/connect.ts'

/**
 * Accounts to validate now, each organization's first before the second of any. Each is claimed for a minute by moving its time on, so that of several
 * workers one asks its cloud; a worker that dies leaves it to the next.
 */
export async function claimValidations(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; accountId: number }>> {
  const { rows } = await db.raw(
    `update cloud_accounts set next_validation_at = now() + interval '1 minute'
     where id = any(array(
       select a.id from cloud_accounts a join (
         select d.id, row_number() over (partition by d.organization_id order by d.next_validation_at, d.id) as turn
         from cloud_accounts d join organizations o on o.id = d.organization_id
         where d.disconnected_at is null and d.next_validation_at <= now() and o.status = 'active') d on d.id = a.id
       where a.disconnected_at is null and a.next_validation_at <= now()
       order by d.turn, a.next_validation_at limit ? for update of a skip locked))
     returning organization_id as "organizationId", id as "accountId"`,
    [limit],
  )
  return rows
}
