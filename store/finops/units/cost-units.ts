import { Model, raw } from 'objection'
import { conflict, notFound } from '../../../domain/errors.ts'
import type { CostScope } from '../../../domain/finops/cost-scope.ts'
import { unwrap, type Tenant } from '../../driver/tenant.ts'

class CostUnitRow extends Model {
  static override tableName = 'cost_units'
  declare id: number
  declare organizationId: number
  declare name: string
  /** What one of it is called, as `order`. */
  declare unit: string
  declare scopeKind: CostScope['scopeKind']
  declare scopeValue: string | null
  /** Raised by each change of it or of its values. */
  declare version: number
  declare createdAt: Date
  declare updatedAt: Date
}

export type StoredUnit = Omit<CostUnitRow, keyof Model | 'organizationId'>
export type NewUnit = Pick<StoredUnit, 'name' | 'unit' | 'scopeKind' | 'scopeValue'>

/** The list has the figures of all of them. */
const maxUnits = 200

/** The units of one organization: what its cost is divided by. */
export function costUnits(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => CostUnitRow.query(db).where({ organizationId })

  return {
    async get(id: number): Promise<StoredUnit> {
      const row = await rows().findOne({ id })
      if (!row) throw notFound()
      return row
    },

    /** Locks the row until the transaction ends, so that concurrent changes run one after the other. */
    async getForUpdate(id: number): Promise<StoredUnit> {
      const row = await rows().findOne({ id }).forUpdate()
      if (!row) throw notFound()
      return row
    },

    async list(limit: number, after: number): Promise<StoredUnit[]> {
      return rows().where('id', '>', after).orderBy('id').limit(limit)
    },

    async create(unit: NewUnit): Promise<StoredUnit> {
      // Of two requests at once the second one counts what the first one added.
      await db('organizations').where({ id: organizationId }).forNoKeyUpdate().select('id')
      if ((await rows().resultSize()) >= maxUnits)
        throw conflict(
          'too_many_units',
          `An organization has at most ${maxUnits} units. Delete one that is no longer needed.`,
        )
      return CostUnitRow.query(db).insertAndFetch({ organizationId, ...unit })
    },

    /** Without columns it only says that its values changed. */
    async update(id: number, columns: Partial<NewUnit> = {}): Promise<StoredUnit> {
      const [row] = await rows()
        .where({ id })
        .patch({ ...columns, version: raw('version + 1'), updatedAt: new Date() })
        .returning('*')
      if (!row) throw notFound()
      return row
    },

    async delete(id: number): Promise<void> {
      const count = await rows().where({ id }).delete()
      if (count === 0) throw notFound()
    },
  }
}
