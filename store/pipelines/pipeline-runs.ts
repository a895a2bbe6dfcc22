import { unwrap, type Tenant } from '../driver/tenant.ts'
import { notFound } from '../../domain/errors.ts'
import { livePhases, type RunPhase } from '../../domain/pipelines/run-state.ts'

export type PipelineRun = {
  id: number
  pipelineId: number
  number: number
  workspaceRunId: number
  createdAt: Date
}

export type LastRun = { pipelineId: number; number: number; phase: RunPhase }

/** Pipeline runs of one organization: the place and number of a workspace run in a pipeline. */
export function pipelineRuns(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const columns = ['id', 'pipelineId', 'number', 'workspaceRunId', 'createdAt']
  const rows = () => db('pipeline_runs').where({ organizationId })

  return {
    /** Becomes the pipeline's newest run: its number was taken in this transaction, which holds the pipeline's row. */
    async create(run: {
      id?: number
      pipelineId: number
      number: number
      workspaceRunId: number
    }): Promise<PipelineRun> {
      const [row] = await db('pipeline_runs')
        .insert({ organizationId, ...run })
        .returning(columns)
      await db('pipelines')
        .where({ organizationId, id: run.pipelineId })
        .update({ lastWorkspaceRunId: run.workspaceRunId })
      return row
    },

    async get(pipelineId: number, id: number): Promise<PipelineRun> {
      const row = await rows().where({ pipelineId, id }).first(columns)
      if (!row) throw notFound()
      return row
    },

    async list(pipelineId: number, limit: number, beforeNumber: number): Promise<PipelineRun[]> {
      return rows()
        .where({ pipelineId })
        .where('number', '<', beforeNumber)
        .orderBy('number', 'desc')
        .limit(limit)
        .select(columns)
    },

    async ofWorkspaceRuns(workspaceRunIds: readonly number[]): Promise<PipelineRun[]> {
      return rows()
        .whereIn('workspaceRunId', [...workspaceRunIds])
        .orderBy('id')
        .select(columns)
    },

    /** The newest run of each pipeline, by one index look-up per pipeline. */
    async lastOf(pipelineIds: readonly number[]): Promise<LastRun[]> {
      if (pipelineIds.length === 0) return []
      const { rows: last } = await db.raw(
        `select p.id as "pipelineId", r.number, w.phase
         from unnest(?::integer[]) as p(id)
           cross join lateral (
             select number, workspace_run_id from pipeline_runs
             where organization_id = ? and pipeline_id = p.id order by number desc limit 1) r
           join workspace_runs w on w.organization_id = ? and w.id = r.workspace_run_id`,
        [[...pipelineIds], organizationId, organizationId],
      )
      return last
    },

    async hasLive(pipelineId: number): Promise<boolean> {
      // The join puts a second organization_id into scope, so every column here names its table.
      const row = await db('pipeline_runs as r')
        .where({ 'r.organizationId': organizationId, 'r.pipelineId': pipelineId })
        .join('workspace_runs as w', (on) =>
          on.on('w.organizationId', 'r.organizationId').on('w.id', 'r.workspaceRunId'),
        )
        .whereIn('w.phase', [...livePhases])
        .first('w.id')
      return row !== undefined
    },
  }
}
