import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import { isUniqueViolation } from '../driver/connect.ts'

class PipelineRow extends Model {
  static override tableName = 'pipelines'
  declare id: number
  declare organizationId: number
  declare name: string
  declare kind: 'application' | 'infrastructure'
  declare managed: boolean
  declare appGitConnectionId: number | null
  declare appRepo: string | null
  declare targetWorkspaceId: number | null
  declare strategy: string | null
  declare lastNumber: number
  /** The workspace run with that number; null before the first. */
  declare lastWorkspaceRunId: number | null
  /** The same of a pipeline of kind `application`. */
  declare lastApplicationRunId: number | null
  declare createdAt: Date
}

export type Pipeline = Omit<PipelineRow, keyof Model | 'organizationId'>
export type NewPipeline = Pick<Pipeline, 'name' | 'kind'> &
  Partial<
    Pick<Pipeline, 'managed' | 'targetWorkspaceId' | 'strategy' | 'appGitConnectionId' | 'appRepo'>
  >

/** The pipelines of one organization. */
export function pipelines(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => PipelineRow.query(db).where({ organizationId })

  return {
    async get(id: number): Promise<Pipeline> {
      const row = await rows().findOne({ id })
      if (!row) throw notFound()
      return row
    },

    async list(limit: number, after: number): Promise<Pipeline[]> {
      return rows().where('id', '>', after).orderBy('id').limit(limit)
    },

    async managedOf(workspaceId: number): Promise<Pipeline> {
      const row = await rows().findOne({ targetWorkspaceId: workspaceId, managed: true })
      if (!row) throw new Error('a workspace has lost its pipeline')
      return row
    },

    /** All pipelines that provision or deploy to a workspace. */
    async listOf(workspaceId: number): Promise<Pipeline[]> {
      return rows().where({ targetWorkspaceId: workspaceId }).orderBy('id')
    },

    async create(pipeline: NewPipeline): Promise<Pipeline> {
      try {
        return await db.transaction(async (savepoint) =>
          PipelineRow.query(savepoint).insertAndFetch({ organizationId, ...pipeline }),
        )
      } catch (error) {
        if (!isUniqueViolation(error, 'pipelines_name')) throw error
        const [taken] = await rows().whereRaw('lower(name) = lower(?)', [pipeline.name])
        throw conflict('name_taken', `There is a pipeline ${pipeline.name} already.`, taken?.id)
      }
    },

    async rename(id: number, name: string): Promise<void> {
      await rows().where({ id }).patch({ name })
    },

    async delete(id: number): Promise<void> {
      await rows().where({ id }).delete()
    },
  }
}
