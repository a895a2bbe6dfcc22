import { sealedBytes } from '../sealed-bytes.ts'
import { Model } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import type { PipelineVariablePhase } from '../../domain/pipelines/variables-of-pipeline.ts'
import type { MeasuredVariable } from '../../domain/workspaces/variable-bounds.ts'
import { isUniqueViolation } from '../driver/connect.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

class PipelineVariableRow extends Model {
  static override tableName = 'pipeline_variables'
  declare id: number
  declare organizationId: number
  declare pipelineId: number
  declare key: string
  declare phase: PipelineVariablePhase
  declare sensitive: boolean
  /** Sealed. */
  declare value: Buffer
  declare valueMac: Buffer
  declare createdAt: Date
  declare updatedAt: Date
}

export type PipelineVariable = Omit<PipelineVariableRow, keyof Model | 'organizationId'>
export type NewPipelineVariable = Pick<
  PipelineVariable,
  'key' | 'phase' | 'sensitive' | 'value' | 'valueMac'
>

/** What a value is sealed for: sealed text of another place does not open with it. */
export const placeOfPipelineValue = (organizationId: number) =>
  ({ organizationId, table: 'pipeline_variables', column: 'value' }) as const

/** The variables of a pipeline. Values arrive sealed. */
export function pipelineVariables(tenant: Tenant, pipelineId: number) {
  const { db, organizationId } = unwrap(tenant)
  const rows = (within = db) =>
    PipelineVariableRow.query(within).where({ organizationId, pipelineId })
  /** `id`: of the variable that is changed. */
  const unlessTaken = async <T>(
    { key, phase, id = 0 }: { key: string; phase: PipelineVariablePhase; id?: number },
    work: (savepoint: typeof db) => Promise<T>,
  ): Promise<T> => {
    try {
      return await db.transaction(work)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      const taken = await rows().where({ key, phase }).whereNot({ id }).first()
      throw conflict('name_taken', `There is a ${phase} variable ${key} already.`, taken?.id)
    }
  }

  return {
    async list(phase?: PipelineVariablePhase): Promise<PipelineVariable[]> {
      return rows()
        .where(phase === undefined ? {} : { phase })
        .orderBy('phase')
        .orderBy('key')
    },

    async get(id: number): Promise<PipelineVariable> {
      const row = await rows().findOne({ id })
      if (!row) throw notFound()
      return row
    },

    async create(variable: NewPipelineVariable): Promise<PipelineVariable> {
      const row = { organizationId, pipelineId, ...variable }
      return unlessTaken(variable, async (savepoint) =>
        PipelineVariableRow.query(savepoint).insertAndFetch(row),
      )
    },

    async update(
      { id, key }: Pick<PipelineVariable, 'id' | 'key'>,
      change: Partial<NewPipelineVariable> & Pick<NewPipelineVariable, 'phase'>,
    ): Promise<PipelineVariable> {
      return unlessTaken({ key, phase: change.phase, id }, async (savepoint) => {
        const [row] = await rows(savepoint)
          .where({ id })
          .patch({ ...change, updatedAt: new Date() })
          .returning('*')
        if (!row) throw notFound()
        return row
      })
    },

    async delete(id: number): Promise<void> {
      if ((await rows().where({ id }).delete()) === 0) throw notFound()
    },
  }
}

/** Their sizes, without opening them. */
export async function measurePipelineVariables(
  tenant: Tenant,
  pipelineId: number,
): Promise<MeasuredVariable[]> {
  const { db, organizationId } = unwrap(tenant)
  const measured = await db('pipeline_variables')
    .where({ organizationId, pipelineId })
    .select('id', 'key', 'sensitive')
    .select(db.raw(`${sealedBytes} as bytes`))
  return measured.map((row) => ({ ...row, kind: 'env' as const }))
}
