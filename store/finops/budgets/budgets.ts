import { Model } from 'objection'
import { conflict, notFound } from '../../../domain/errors.ts'
import type { Budget } from '../../../domain/finops/budgets/budget.ts'
import { unwrap, type Tenant } from '../../driver/tenant.ts'

class BudgetRow extends Model {
  static override tableName = 'budgets'
  declare id: number
  declare organizationId: number
  declare name: string
  declare amountMonthly: string
  declare scopeKind: Budget['scopeKind']
  declare scopeValue: string | null
  declare threshold: string
  declare overBudget: Budget['overBudget']
  declare createdAt: Date
  declare updatedAt: Date
}

export type StoredBudget = Omit<BudgetRow, keyof Model | 'organizationId'>
export type NewBudget = Omit<Budget, 'id'>

/** Each read of cost has the states of all of them. */
const maxBudgets = 200

/** Whether a budget of the organization makes runs wait. */
export async function canBudgetsHold(tenant: Tenant): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)
  const held = await db('budgets').where({ organizationId, overBudget: 'approve' }).first('id')
  return held !== undefined
}

/** The same for budgets whose scope is a tag: of all of them, or of those that add up what has no tag. */
export async function canTagBudgetsHold(tenant: Tenant, of: 'all' | 'untagged'): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)
  const held = await db('budgets')
    .where({ organizationId, overBudget: 'approve', scopeKind: 'tag' })
    .where(of === 'untagged' ? { scopeValue: 'untagged' } : {})
    .first('id')
  return held !== undefined
}

/** The budgets of one organization. */
export function budgets(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => BudgetRow.query(db).where({ organizationId })

  return {
    async get(id: number): Promise<StoredBudget> {
      const row = await rows().findOne({ id })
      if (!row) throw notFound()
      return row
    },

    /**
     * Locks the row until the transaction ends. Not its key: rows that refer to it may be written
     * meanwhile by somebody who holds a workspace that this transaction goes on to lock.
     */
    async getForUpdate(id: number): Promise<StoredBudget> {
      const row = await rows().findOne({ id }).forNoKeyUpdate()
      if (!row) throw notFound()
      return row
    },

    async all(): Promise<StoredBudget[]> {
      return rows().orderBy('id')
    },

    async list(limit: number, after: number): Promise<StoredBudget[]> {
      return rows().where('id', '>', after).orderBy('id').limit(limit)
    },

    async create(budget: NewBudget): Promise<StoredBudget> {
      // Of two requests at once the second one counts what the first one added.
      await db('organizations').where({ id: organizationId }).forNoKeyUpdate().select('id')
      if ((await rows().resultSize()) >= maxBudgets)
        throw conflict(
          'too_many_budgets',
          `An organization has at most ${maxBudgets} budgets. Delete one that is no longer needed.`,
        )
      return BudgetRow.query(db).insertAndFetch({ organizationId, ...budget })
    },

    async update(id: number, change: Partial<NewBudget>): Promise<StoredBudget> {
      const [row] = await rows()
        .where({ id })
        .patch({ ...change, updatedAt: new Date() })
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
