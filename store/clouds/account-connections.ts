import { raw } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import { isUniqueViolation } from '../driver/connect.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import {
  CloudAccountRow,
  unchecked,
  type CloudAccount,
  type NewCloudAccount,
} from './cloud-account-row.ts'

/** How the accounts of one organization come and go. */
export function accountConnections(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => CloudAccountRow.query(db).where({ organizationId })

  return {
    /** A new account, or the one that was disconnected under the same id; 409 if it is connected. */
    async connect(account: NewCloudAccount): Promise<CloudAccount> {
      const { provider, accountId } = account
      const known = () => rows().findOne({ provider, accountId, purging: false })
      const added = await insert(tenant, account)
      if (added) return added
      // Without a lock, which a merge can hold for minutes.
      const seen = await known()
      if (seen && !seen.disconnectedAt) throw alreadyConnected(seen.id)
      const taken = await known().forUpdate()
      if (taken?.disconnectedAt) return this.reconnect(taken.id, account)
      // Undefined: it was purged meanwhile.
      const again = taken ? undefined : await insert(tenant, account)
      if (again) return again
      throw alreadyConnected(taken?.id)
    },

    async reconnect(id: number, account: NewCloudAccount): Promise<CloudAccount> {
      const [row] = await rows()
        .where({ id })
        .patch({
          ...usualIntervals,
          ...account,
          ...unchecked(),
          refusedSyncs: 0,
          healthTold: 'unknown',
          nextSyncAt: new Date(),
          version: raw('version + 1'),
          disconnectedAt: null,
          updatedAt: new Date(),
        })
        .returning('*')
      if (!row) throw notFound()
      return row
    },

    /**
     * Scrubs what is secret. What is known of its resources is deleted later, and then the row if it is
     * purged; otherwise it stays, for the cost that names it.
     */
    async disconnect(id: number, { purge }: { purge: boolean }): Promise<void> {
      await rows()
        .where({ id })
        .patch({
          ...unchecked(),
          ...scrubbed,
          version: raw('version + 1'),
          purging: purge,
          disconnectedAt: new Date(),
          updatedAt: new Date(),
        })
    },
  }
}

/** Undefined if there is one of this id. */
async function insert(tenant: Tenant, account: NewCloudAccount): Promise<CloudAccount | undefined> {
  const { db, organizationId } = unwrap(tenant)
  try {
    return await db.transaction(async (savepoint) =>
      CloudAccountRow.query(savepoint).insertAndFetch({ organizationId, ...account }),
    )
  } catch (error) {
    if (isUniqueViolation(error, 'cloud_accounts_account')) return undefined
    throw error
  }
}

const usualIntervals = { syncIntervalMinutes: 60, ingestIntervalHours: 24 }

const scrubbed = {
  forgetting: true,
  resources: 0,
  credentials: null,
  billing: null,
  billingShown: null,
  endpoint: null,
  endpoints: {},
  regions: null,
  runs: null,
}

const alreadyConnected = (existingId?: number) =>
  conflict('account_already_connected', 'This account is already connected.', existingId)
