import type { PlatformDb } from '../driver/connect.ts'

/** Disconnected accounts whose resources are not all deleted, each organization's first before the second of any. */
export async function forgottenAccounts(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number; cloudAccountId: number }>> {
  const { rows } = await db.raw(
    `select organization_id as "organizationId", id as "cloudAccountId" from cloud_accounts
     where forgetting
     order by row_number() over (partition by organization_id order by id), id limit ?`,
    [limit],
  )
  return rows
}
