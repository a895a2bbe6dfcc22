import { raw } from 'objection'
import type { CloudProvider } from '../../domain/clouds/cloud-account.ts'
import { notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import {
  CloudAccountRow,
  unchecked,
  type AccountFinding,
  type CloudAccount,
  type CloudAccountChange,
} from './cloud-account-row.ts'

/** The connected cloud accounts of one organization. A disconnected one does not exist for a reader. */
export function cloudAccounts(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => CloudAccountRow.query(db).where({ organizationId }).whereNull('disconnectedAt')

  return {
    async get(id: number): Promise<CloudAccount> {
      return orNotFound(await rows().findOne({ id }))
    },

    /**
     * For a workspace that begins to name the account. The lock keeps it connected until the
     * transaction ends, and does not wait for a validation that stores what it found.
     */
    async holdForUse(id: number): Promise<void> {
      orNotFound(await rows().findOne({ id }).select('id').forKeyShare())
    },

    /** Locks the row until the transaction ends. */
    async getForUpdate(id: number): Promise<CloudAccount> {
      return orNotFound(await rows().findOne({ id }).forUpdate())
    },

    async list(limit: number, after: number): Promise<CloudAccount[]> {
      return rows().where('id', '>', after).orderBy('id').limit(limit)
    },

    /** Those that are not healthy, in the order in which they were connected. */
    async troubled(limit: number): Promise<CloudAccount[]> {
      return rows().whereNot({ status: 'healthy' }).orderBy('id').limit(limit)
    },

    /** `again`: what a validation found before no longer counts. */
    async update(id: number, change: CloudAccountChange, again: boolean): Promise<CloudAccount> {
      const [row] = await rows()
        .where({ id })
        .patch({
          ...change,
          ...(again && { ...unchecked(), version: raw('version + 1') }),
          updatedAt: new Date(),
        })
        .returning('*')
      return orNotFound(row)
    },

    /**
     * Stores what a validation or a sync found, unless the account was changed or disconnected
     * since it began: the finding would be of other credentials. Undefined then.
     */
    async note(
      { id, version }: Pick<CloudAccount, 'id' | 'version'>,
      finding: AccountFinding & Partial<Pick<CloudAccount, 'validatedAt' | 'nextValidationAt'>>,
    ): Promise<CloudAccount | undefined> {
      const [row] = await rows().where({ id, version }).patch(finding).returning('*')
      return row
    },
  }
}

/** The ids of the connected ones among these accounts of a cloud. */
export async function connectedIds(
  tenant: Tenant,
  provider: CloudProvider,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  const { db, organizationId } = unwrap(tenant)
  const found = await CloudAccountRow.query(db)
    .where({ organizationId, provider })
    .whereNull('disconnectedAt')
    .whereIn('accountId', [...accountIds])
  return new Map(found.map(({ accountId, id }) => [accountId, id]))
}

function orNotFound(row: CloudAccountRow | undefined): CloudAccount {
  if (!row) throw notFound()
  return row
}
