import type { Db } from '../driver/connect.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model, raw } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import { isUniqueViolation } from '../driver/connect.ts'
import type { ConfirmMode } from '../../domain/runs/confirmation.ts'
import type { PolicyWorkspaces } from '../policies/policies.ts'

class WorkspaceRow extends Model {
  static override tableName = 'workspaces'
  static override jsonAttributes = ['source', 'labels']
  declare id: number
  declare organizationId: number
  declare name: string
  declare labels: Record<string, string>
  declare description: string
  declare criticality: 'standard' | 'production'
  declare engine: 'opentofu'
  declare sourceKind: 'inline' | 'git'
  declare source: Record<string, unknown>
  declare cloudAccountId: number | null
  declare gitConnectionId: number | null
  declare path: string
  declare autoApply: boolean
  /** Decimal text, in the organization's currency. */
  declare costLimitMonthly: string | null
  declare unpriced: 'deny' | 'allow'
  /** Which plans of a standard workspace wait until a person confirms them. */
  declare confirm: ConfirmMode
  declare fence: number
  declare needsRefresh: boolean
  declare lastAppliedAt: Date | null
  declare createdAt: Date
  declare updatedAt: Date
}

export type Workspace = Pick<
  WorkspaceRow,
  | 'id'
  | 'name'
  | 'labels'
  | 'description'
  | 'criticality'
  | 'engine'
  | 'sourceKind'
  | 'source'
  | 'cloudAccountId'
  | 'gitConnectionId'
  | 'path'
  | 'autoApply'
  | 'costLimitMonthly'
  | 'unpriced'
  | 'confirm'
  | 'fence'
  | 'needsRefresh'
  | 'lastAppliedAt'
  | 'createdAt'
  | 'updatedAt'
>

export type NewWorkspace = Pick<Workspace, 'name'> &
  Partial<
    Pick<
      Workspace,
      | 'labels'
      | 'description'
      | 'criticality'
      | 'path'
      | 'autoApply'
      | 'costLimitMonthly'
      | 'unpriced'
      | 'confirm'
      | 'cloudAccountId'
      | 'gitConnectionId'
      | 'sourceKind'
      | 'source'
    >
  >

/** The workspaces that a policy judges; `limited`: those with a cost limit; `standard`: those that approve themselves. */
export type GuardedWorkspaces = PolicyWorkspaces | 'limited' | 'standard'

/** The infrastructure workspaces of one organization. */
export function workspaces(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => WorkspaceRow.query(db).where({ organizationId })

  return {
    async get(id: number): Promise<Workspace> {
      const row = await rows().findOne({ id })
      if (!row) throw notFound()
      return row
    },

    /** Locks the row until the transaction ends. Decisions on turns, locks and fencing numbers take this lock first. */
    async getForUpdate(id: number): Promise<Workspace> {
      const row = await rows().findOne({ id }).forUpdate()
      if (!row) throw notFound()
      return row
    },

    /** Notes that the resources of its state are known (app/workspaces/note-held-resources.ts). */
    async noteResources(id: number): Promise<void> {
      await db('workspaces').where({ organizationId, id }).update({ resourcesDue: false })
    },

    /** Locks the rows in ascending order of ids, so that two concurrent changes cannot deadlock. */
    async holdGuarded(guarded: readonly GuardedWorkspaces[]): Promise<number[]> {
      const found = db('workspaces').where({ organizationId })
      if (!guarded.includes('all'))
        void found.where((any) => {
          const ids = guarded.flatMap((one) => (Array.isArray(one) ? one : []))
          void any.whereIn('id', ids)
          if (guarded.includes('production')) void any.orWhere({ criticality: 'production' })
          if (guarded.includes('standard')) void any.orWhere({ criticality: 'standard' })
          if (guarded.includes('limited')) void any.orWhereNotNull('costLimitMonthly')
        })
      return found.orderBy('id').forUpdate().pluck('id')
    },

    async create(workspace: NewWorkspace): Promise<Workspace> {
      return this.refuseTakenName(workspace.name, async (savepoint) =>
        WorkspaceRow.query(savepoint).insertAndFetch({ organizationId, ...workspace }),
      )
    },

    async update(id: number, change: Partial<NewWorkspace>): Promise<Workspace> {
      return this.refuseTakenName(change.name ?? '', async (savepoint) => {
        const [row] = await WorkspaceRow.query(savepoint)
          .where({ organizationId, id })
          // Not the transaction's start: a version that was stored while this transaction waited must be older.
          .patch({ ...change, updatedAt: raw('clock_timestamp()') })
          .returning('*')
        if (!row) throw notFound()
        return row
      })
    },

    async refuseTakenName<T>(name: string, write: (savepoint: Db) => Promise<T>): Promise<T> {
      try {
        return await db.transaction(write)
      } catch (error) {
        if (!isUniqueViolation(error, 'workspaces_name')) throw error
        const taken = await rows().findOne({ name })
        throw conflict('name_taken', `There is a workspace named ${name} already.`, taken?.id)
      }
    },

    async delete(id: number): Promise<void> {
      await rows().where({ id }).delete()
    },

    /** A new fencing number: a worker with an older one can no longer write state. */
    async raiseFence(id: number): Promise<number> {
      const { rows: raised } = await db.raw(
        `update workspaces set fence = fence + 1 where organization_id = ? and id = ? returning fence`,
        [organizationId, id],
      )
      if (raised.length === 0) throw notFound()
      return raised[0].fence
    },

    async markNeedsRefresh(id: number): Promise<void> {
      await rows().where({ id }).patch({ needsRefresh: true })
    },
  }
}
