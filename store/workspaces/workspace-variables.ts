import { sealedBytes } from '../sealed-bytes.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import type { MeasuredVariable } from '../../domain/workspaces/variable-bounds.ts'
import type { VariablePhase } from '../../domain/workspaces/variables.ts'
import { isUniqueViolation } from '../driver/connect.ts'
import { copyRows } from '../copy-rows.ts'
import { retiredValues } from './retired-values.ts'

class WorkspaceVariableRow extends Model {
  static override tableName = 'workspace_variables'
  declare id: number
  declare organizationId: number
  declare workspaceId: number
  declare key: string
  declare kind: 'terraform' | 'env'
  declare sensitive: boolean
  declare phase: VariablePhase
  declare description: string
  /** Sealed. */
  declare value: Buffer
  declare valueMac: Buffer
  declare createdAt: Date
  declare updatedAt: Date
}

export type WorkspaceVariable = Omit<WorkspaceVariableRow, keyof Model | 'organizationId'>
/** `until`: when it was last changed or deleted, of one that is sensitive no more. */
type SensitiveName = Pick<WorkspaceVariable, 'key' | 'kind' | 'sensitive'> & { until: Date | null }
export type NewWorkspaceVariable = Pick<
  WorkspaceVariable,
  'key' | 'kind' | 'sensitive' | 'phase' | 'description' | 'value' | 'valueMac'
>

/** The variables of a workspace. Values arrive sealed. */
export function workspaceVariables(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = (workspaceId: number) =>
    WorkspaceVariableRow.query(db).where({ organizationId, workspaceId })

  return {
    async list(workspaceId: number): Promise<WorkspaceVariable[]> {
      return rows(workspaceId).orderBy('kind').orderBy('key')
    },

    /** What tells whether a plan would get other values. */
    async macs(
      workspaceId: number,
    ): Promise<Array<Pick<WorkspaceVariable, 'key' | 'kind' | 'phase' | 'valueMac'>>> {
      return rows(workspaceId).select('key', 'kind', 'phase', 'valueMac')
    },

    /** Their sizes, without opening them. */
    async measure(workspaceId: number): Promise<MeasuredVariable[]> {
      const measured = await db('workspace_variables')
        .where({ organizationId, workspaceId })
        .select('id', 'key', 'kind', 'sensitive')
        .select(db.raw(`${sealedBytes} as bytes`))
      // The columns of the select, with the types of the table.
      return measured as MeasuredVariable[]
    },

    /** Those whose values are sensitive, or were (retired-values.ts), without the values. */
    async sensitive(workspaceId: number): Promise<SensitiveName[]> {
      const { rows: names } = await db.raw(
        `select key, kind, true as sensitive, null::timestamptz as until from workspace_variables
          where organization_id = :organizationId and workspace_id = :workspaceId and sensitive
         union all
         select key, kind, true, max(retired_at) from retired_values
          where organization_id = :organizationId and workspace_id = :workspaceId group by key, kind`,
        { organizationId, workspaceId },
      )
      return names
    },

    /**
     * What `read` makes of each sensitive value, also of those from before (retired-values.ts); its sealed bytes are
     * there only while it does.
     */
    async readSensitive<T>(
      workspaceId: number,
      read: (sealed: Buffer, of: { isOfOpenTofu: boolean; isRetired: boolean }) => T,
    ): Promise<T[]> {
      const ofOpenTofu = `(kind = 'terraform' or starts_with(key, 'TF_VAR_'))`
      const values = db('workspace_variables')
        .where({ organizationId, workspaceId, sensitive: true })
        .select('value', db.raw(ofOpenTofu), db.raw('false'))
      const retired = retiredValues(tenant)
        .searched(workspaceId)
        .select('value', db.raw(ofOpenTofu), db.raw('true'))
      return copyRows(db, values.unionAll([retired]), ([sealed, isOfOpenTofu, isRetired]) => {
        if (!sealed) throw new Error('a variable without a value')
        return read(sealed, {
          isOfOpenTofu: isOfOpenTofu?.[0] === 1,
          isRetired: isRetired?.[0] === 1,
        })
      })
    },

    async get(workspaceId: number, id: number): Promise<WorkspaceVariable> {
      const row = await rows(workspaceId).findOne({ id })
      if (!row) throw notFound()
      return row
    },

    async create(workspaceId: number, variable: NewWorkspaceVariable): Promise<WorkspaceVariable> {
      try {
        return await db.transaction(async (savepoint) =>
          WorkspaceVariableRow.query(savepoint).insertAndFetch({
            organizationId,
            workspaceId,
            ...variable,
          }),
        )
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        const { key, kind } = variable
        const taken = await rows(workspaceId).findOne({ key, kind })
        throw conflict('name_taken', `There is a ${kind} variable ${key} already.`, taken?.id)
      }
    },

    async update(
      workspaceId: number,
      id: number,
      change: Partial<Omit<NewWorkspaceVariable, 'key' | 'kind'>>,
    ): Promise<WorkspaceVariable> {
      const [row] = await rows(workspaceId)
        .where({ id })
        .patch({ ...change, updatedAt: new Date() })
        .returning('*')
      if (!row) throw notFound()
      return row
    },

    async delete(workspaceId: number, id: number): Promise<void> {
      const count = await rows(workspaceId).where({ id }).delete()
      if (count === 0) throw notFound()
    },
  }
}
