import { sealedBytes } from '../sealed-bytes.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import type { MeasuredVariable } from '../../domain/workspaces/variable-bounds.ts'
import type { VariablePhase } from '../../domain/workspaces/variables.ts'
import { isUniqueViolation } from '../driver/connect.ts'
import { copyRows } from '../copy-rows.ts'

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

    /** Their sizes, without opening them. */
    async measure(workspaceId: number): Promise<MeasuredVariable[]> {
      const measured = await db('workspace_variables')
        .where({ organizationId, workspaceId })
        .select('id', 'key', 'kind', 'sensitive')
        .select(db.raw(`${sealedBytes} as bytes`))
      // The columns of the select, with the types of the table.
      return measured as MeasuredVariable[]
    },

    /** Those whose values are sensitive, without them. */
    async sensitive(
      workspaceId: number,
    ): Promise<Array<Pick<WorkspaceVariable, 'key' | 'kind' | 'sensitive'>>> {
      return rows(workspaceId).where({ sensitive: true }).select('key', 'kind', 'sensitive')
    },

    /** What `read` makes of each sensitive value; its sealed bytes are there only while it does. */
    async readSensitive<T>(
      workspaceId: number,
      read: (sealed: Buffer, isOfOpenTofu: boolean) => T,
    ): Promise<T[]> {
      const ofOpenTofu = `(kind = 'terraform' or starts_with(key, 'TF_VAR_'))`
      const values = db('workspace_variables')
        .where({ organizationId, workspaceId, sensitive: true })
        .orderBy('id')
        .select('value', db.raw(ofOpenTofu))
      return copyRows(db, values, ([sealed, isOfOpenTofu]) => {
        if (!sealed) throw new Error('a variable without a value')
        return read(sealed, isOfOpenTofu?.[0] === 1)
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
