import { notFound } from '../../domain/errors.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type BillingSource = {
  id: number
  /** Exactly one of the two. */
  cloudAccountId: number | null
  name: string | null
  createdAt: Date
}

const columns = ['id', 'cloudAccountId', 'name', 'createdAt']

/** Where the bills of one organization come from. A removed source does not exist for a reader. */
export function billingSources(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_sources').where({ organizationId }).whereNull('removedAt')

  const ensure = async (
    key: { cloudAccountId: number } | { name: string },
    column: string,
  ): Promise<BillingSource> => {
    const [made] = await db('billing_sources')
      .insert({ organizationId, ...key })
      .onConflict(db.raw(`(organization_id, ${column}) where removed_at is null`))
      .ignore()
      .returning(columns)
    const found = made ?? (await rows().where(key).first(columns))
    // Removed between the two statements: it comes anew.
    return found ?? ensure(key, column)
  }

  return {
    /** The caller has found the account: a foreign key refuses one of another organization. */
    async ensureForAccount(cloudAccountId: number): Promise<BillingSource> {
      return ensure({ cloudAccountId }, 'cloud_account_id')
    },

    async ensureNamed(name: string): Promise<BillingSource> {
      return ensure({ name }, 'name')
    },

    async findNamed(name: string): Promise<BillingSource | undefined> {
      return rows().where({ name }).first(columns)
    },

    async get(id: number): Promise<BillingSource> {
      const row = await rows().where({ id }).first(columns)
      if (!row) throw notFound()
      return row
    },

    /** Locks the row until the transaction ends; undefined if it was removed. */
    async hold(id: number): Promise<BillingSource | undefined> {
      return rows().where({ id }).forNoKeyUpdate().first(columns)
    },

    async list(limit: number, after: number): Promise<BillingSource[]> {
      return rows().where('id', '>', after).orderBy('id').limit(limit).select(columns)
    },

    /** Its cost is seen no more, and is deleted later. True for the one call that removes it. */
    async remove(id: number): Promise<boolean> {
      return (await rows().where({ id }).update({ removedAt: db.fn.now() })) === 1
    },

    async ofAccount(cloudAccountId: number): Promise<BillingSource | undefined> {
      return rows().where({ cloudAccountId }).first(columns)
    },
  }
}
