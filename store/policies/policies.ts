import type { Db } from '../driver/connect.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model, raw } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import { isUniqueViolation } from '../driver/connect.ts'

export type PolicyWorkspaces = 'all' | 'production' | number[]

class PolicyRow extends Model {
  static override tableName = 'policies'
  static override jsonAttributes = ['workspaces']
  declare id: number
  declare organizationId: number
  declare name: string
  declare rego: string
  declare enforcement: 'mandatory' | 'advisory'
  declare workspaces: PolicyWorkspaces
  declare version: number
  declare createdAt: Date
  declare updatedAt: Date
}

export type Policy = Omit<PolicyRow, keyof Model | 'organizationId'>
export type NewPolicy = Pick<Policy, 'name' | 'rego' | 'enforcement' | 'workspaces'>

/** The policies of one organization, compiled before they are stored. */
export function policies(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => PolicyRow.query(db).where({ organizationId })
  const refuseTakenName = async <T>(name: string, write: (savepoint: Db) => Promise<T>) => {
    try {
      return await db.transaction(write)
    } catch (error) {
      if (!isUniqueViolation(error, 'policies_name')) throw error
      const [taken] = await rows().whereRaw('lower(name) = lower(?)', [name])
      throw conflict('name_taken', `There is a policy ${name} already.`, taken?.id)
    }
  }

  return {
    async get(id: number): Promise<Policy> {
      const row = await rows().findOne({ id })
      if (!row) throw notFound()
      return row
    },

    /** Locks the row until the transaction ends, so that concurrent changes run one after the other. */
    async getForUpdate(id: number): Promise<Policy> {
      const row = await rows().findOne({ id }).forUpdate()
      if (!row) throw notFound()
      return row
    },

    async list(limit: number, after: number): Promise<Policy[]> {
      return rows().where('id', '>', after).orderBy('id').limit(limit)
    },

    async create(policy: NewPolicy): Promise<Policy> {
      return refuseTakenName(policy.name, async (savepoint) =>
        PolicyRow.query(savepoint).insertAndFetch({ organizationId, ...policy }),
      )
    },

    async update(id: number, change: Partial<NewPolicy>): Promise<Policy> {
      return refuseTakenName(change.name ?? '', async (savepoint) => {
        const [row] = await PolicyRow.query(savepoint)
          .where({ organizationId, id })
          .patch({ ...change, version: raw('version + 1'), updatedAt: new Date() })
          .returning('*')
        if (!row) throw notFound()
        return row
      })
    },

    async delete(id: number): Promise<void> {
      const count = await rows().where({ id }).delete()
      if (count === 0) throw notFound()
    },
  }
}
