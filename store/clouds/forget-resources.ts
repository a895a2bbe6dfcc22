import { unwrap, type Tenant } from '../driver/tenant.ts'
import { CloudAccountRow, type CloudAccount } from './cloud-account-row.ts'

/** Staged pages are megabytes each. */
const maxPages = 20
const maxRows = 2_000

/**
 * Deletes a limited part of what is known of an account that was disconnected. `more`: call it again, in
 * another transaction. `taken`: another worker is at it, nothing was
 * to do, or it waits for the account's cost to be deleted. Otherwise the account, for
 * which nothing is left; one that is to be purged is gone.
 *
 * The order matters: a merge that began before the account was disconnected holds its place in its sync.
 * Without syncs nothing stores resources.
 */
export async function forgetResources(
  tenant: Tenant,
  cloudAccountId: number,
): Promise<'more' | 'taken' | CloudAccount> {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => CloudAccountRow.query(db).where({ organizationId, id: cloudAccountId })
  const account = await rows().where({ forgetting: true }).first().forNoKeyUpdate().skipLocked()
  if (!account) return 'taken'
  for (const [table, { condition, limit }] of Object.entries(parts)) {
    const { rowCount } = await db.raw(
      `delete from ${table} where organization_id = :organizationId and ctid = any(array(
         select ctid from ${table} where organization_id = :organizationId and ${condition} limit :limit))`,
      { organizationId, cloudAccountId, limit },
    )
    if (rowCount === limit) return 'more'
  }
  if (account.purging) {
    // Its cost goes first, by the task `forget-charges`.
    const sources = db('billing_sources').where({ organizationId, cloudAccountId })
    if ((await sources.limit(1).pluck('id')).length > 0) return 'taken'
    await rows().delete()
  } else await rows().patch({ forgetting: false })
  return account
}

const ofSyncs = `sync_id in (select id from cloud_syncs
  where organization_id = :organizationId and cloud_account_id = :cloudAccountId)`
const ofAccount = 'cloud_account_id = :cloudAccountId'

const parts: Readonly<Record<string, { condition: string; limit: number }>> = {
  cloud_resource_pages: { condition: ofSyncs, limit: maxPages },
  cloud_sync_places: { condition: ofSyncs, limit: maxRows },
  cloud_syncs: { condition: ofAccount, limit: maxRows },
  cloud_resources: { condition: ofAccount, limit: maxRows },
  cloud_places: { condition: ofAccount, limit: maxRows },
}
