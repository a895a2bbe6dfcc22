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

    async plan(id: number, nextSyncAt: Date, refusedSyncs?: number): Promise<void> {
      await rows()
        .where({ id })
        .patch({ nextSyncAt, ...(refusedSyncs !== undefined && { refusedSyncs }) })
    },
  }
}
