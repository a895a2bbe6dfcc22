import { unwrap, type Tenant } from '../driver/tenant.ts'
import { CloudAccountRow, type CloudAccount } from './cloud-account-row.ts'

/** When the connected accounts of one organization are synced next. */
export function syncPlans(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => CloudAccountRow.query(db).where({ organizationId }).whereNull('disconnectedAt')

  return {
    /** Locks the account until the transaction ends; undefined if it was disconnected. */
    async findForUpdate(id: number): Promise<CloudAccount | undefined> {
      return rows().findOne({ id }).forUpdate()
    },

    /** The same, but undefined also while another transaction holds it: a sync can for minutes. */
    async findUnlocked(id: number): Promise<CloudAccount | undefined> {
      return rows().findOne({ id }).forUpdate().skipLocked()
    },

    async noteHealthTold(id: number, healthTold: 'well' | 'unwell'): Promise<void> {
      await rows().where({ id }).patch({ healthTold })
    },

    async plan(id: number, nextSyncAt: Date, refusedSyncs?: number): Promise<void> {
      await rows()
        .where({ id })
        .patch({ nextSyncAt, ...(refusedSyncs !== undefined && { refusedSyncs }) })
    },

    /** Counts the account's resources by an index alone. Writes only where the count differs. */
    async countResources(id: number): Promise<void> {
      await db.raw(countResources, [organizationId, id])
    },
  }
}

const countResources = `
  update cloud_accounts a set resources = r.present
  from (select ?::integer as organization_id, ?::integer as id) t,
    lateral (select count(*)::integer as present from cloud_resources r
      where r.organization_id = t.organization_id and r.cloud_account_id = t.id and r.state = 'present') r
  where a.organization_id = t.organization_id and a.id = t.id and a.resources <> r.present`
