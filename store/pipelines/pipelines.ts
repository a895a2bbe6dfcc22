import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import type { ApplicationSettings } from '../../domain/pipelines/application-settings.ts'
import { isUniqueViolation } from '../driver/connect.ts'

/** As of a connection (git-connections.ts): whether the host tells of pushes to a repository. */
export type WebhookState = 'none' | 'pending' | 'active' | 'unavailable'

class PipelineRow extends Model {
  static override tableName = 'pipelines'
  static override jsonAttributes = ['labels']
  declare id: number
  declare organizationId: number
  declare name: string
  declare labels: Record<string, string>
  declare description: string
  declare kind: 'application' | 'infrastructure'
  declare managed: boolean
  declare appGitConnectionId: number | null
  declare appRepo: string | null
  declare targetWorkspaceId: number | null
  declare strategy: string | null
  declare appBranch: string | null
  declare appPath: string
  declare triggerPush: boolean
  declare triggerPaths: string[]
  declare triggerTags: string[]
  declare rollbackApproval: 'always' | 'once'
  declare sbom: 'optional' | 'required'
  declare agentWaitMinutes: number
  /** Of the repository, for its triggers. */
  declare webhookState: WebhookState
  declare webhookReason: string | null
  declare lastNumber: number
  /** The workspace run with that number; null before the first. */
  declare lastWorkspaceRunId: number | null
  /** The same of a pipeline of kind `application`. */
  declare lastApplicationRunId: number | null
  declare createdAt: Date
  declare updatedAt: Date
}

export type Pipeline = Omit<PipelineRow, keyof Model | 'organizationId'>
type Chosen = Pick<
  Pipeline,
  | 'targetWorkspaceId'
  | 'strategy'
  | 'appGitConnectionId'
  | 'appRepo'
  | 'webhookState'
  | 'labels'
  | 'description'
  | keyof ApplicationSettings
>
export type NewPipeline = Pick<Pipeline, 'name' | 'kind'> &
  Partial<Chosen & Pick<Pipeline, 'managed'>>
export type PipelineChange = Partial<Chosen & Pick<Pipeline, 'name'>>

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

    /** Locks the row until the transaction ends. */
    async getForUpdate(id: number): Promise<Pipeline> {
      const row = await rows().findOne({ id }).forUpdate()
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
      return unlessNameTaken(tenant, pipeline.name, async (savepoint) =>
        PipelineRow.query(savepoint).insertAndFetch({ organizationId, ...pipeline }),
      )
    },

    async update(id: number, change: PipelineChange): Promise<Pipeline> {
      return unlessNameTaken(tenant, change.name, async (savepoint) => {
        const [row] = await PipelineRow.query(savepoint)
          .where({ organizationId, id })
          .patch({ ...change, updatedAt: new Date() })
          .returning('*')
        if (!row) throw notFound()
        return row
      })
    },

    async rename(id: number, name: string): Promise<void> {
      await rows().where({ id }).patch({ name })
    },

    async delete(id: number): Promise<void> {
      await rows().where({ id }).delete()
    },
  }
}

/** Within a savepoint, so that the transaction of a refused name can ask whose it is. */
async function unlessNameTaken(
  tenant: Tenant,
  name: string | undefined,
  work: (savepoint: ReturnType<typeof unwrap>['db']) => Promise<Pipeline>,
): Promise<Pipeline> {
  const { db, organizationId } = unwrap(tenant)
  try {
    return await db.transaction(work)
  } catch (error) {
    if (name === undefined || !isUniqueViolation(error, 'pipelines_name')) throw error
    const [taken] = await PipelineRow.query(db)
      .where({ organizationId })
      .whereRaw('lower(name) = lower(?)', [name])
    throw conflict('name_taken', `There is a pipeline ${name} already.`, taken?.id)
  }
}

/** The pipelines that a push or tag in a repository of this connection can start. */
export async function triggeredPipelines(
  tenant: Tenant,
  connectionId: number,
): Promise<Pipeline[]> {
  const { db, organizationId } = unwrap(tenant)
  return PipelineRow.query(db)
    .where({ organizationId, appGitConnectionId: connectionId })
    .whereRaw(`(trigger_push or trigger_tags <> '{}')`)
    .orderBy('id')
}

/** Has no effect on a pipeline that was deleted, or names another repository by now. */
export async function setPipelineWebhook(
  tenant: Tenant,
  { id, appGitConnectionId, appRepo }: Pick<Pipeline, 'id' | 'appGitConnectionId' | 'appRepo'>,
  found: { state: WebhookState; reason: string | null },
): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await PipelineRow.query(db)
    .where({ organizationId, id, appGitConnectionId, appRepo })
    .patch({ webhookState: found.state, webhookReason: found.reason?.slice(0, 500) ?? null })
}
