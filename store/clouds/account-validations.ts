import { notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { CloudAccountRow, type CloudAccount } from './cloud-account-row.ts'

/** What moves the validations of one organization's connected accounts. */
export function accountValidations(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => CloudAccountRow.query(db).where({ organizationId }).whereNull('disconnectedAt')

  return {
    /** Locks the row for a finding, but not its key, which rows that begin to name the account need. */
    async hold(id: number): Promise<CloudAccount> {
      const row = await rows().findOne({ id }).forNoKeyUpdate()
      if (!row) throw notFound()
      return row
    },

    /** Soon, where it lends runs an identity, which may trust the workspace alone that names the account now. */
    async beginForUse(id: number): Promise<void> {
      await rows().where({ id }).whereNotNull('runs').patch({ nextValidationAt: new Date() })
    },
  }
}
