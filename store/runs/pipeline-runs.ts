import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { notFound } from '../../domain/errors.ts'
import { livePhases, type RunPhase } from '../../domain/runs/run-state.ts'
import {
  liveApplicationPhases,
  type ApplicationPhase,
} from '../../domain/pipelines/application-state.ts'

export type PipelineRun = {
  id: number
  pipelineId: number
  number: number
  /** Null for a run of an application: what it has of its own is in `application_runs`. */
  workspaceRunId: number | null
  createdAt: Date
}

/** The place of a workspace run in a pipeline. */
export type WorkspaceRunPlace = PipelineRun & { workspaceRunId: number }

export type LastRun = {
  pipelineId: number
  number: number
  phase: RunPhase | ApplicationPhase
  /** The step after which its deployment waits for a person. */
  confirmStep: number | null
}

/** Pipeline runs of one organization: the place and number of a run in a pipeline. */
export function pipelineRuns(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const columns = ['id', 'pipelineId', 'number', 'workspaceRunId', 'createdAt']
  const rows = () => db('pipeline_runs').where({ organizationId })

  return {
    /**
     * Gives the run the next number of the pipeline, whose newest run it becomes. The pipeline's row
     * stays locked until the transaction ends, so numbers have no gaps. Without `pipelineId` it is
     * the workspace's own pipeline, where the run has its own id. Undefined without such a pipeline.
     */
    async create(
      run: { id: number; workspaceId: number },
      pipelineId?: number,
    ): Promise<WorkspaceRunPlace | undefined> {
      const own = pipelineId === undefined
      const { rows: created } = await db.raw(
        `with taken as (
           update pipelines set last_number = last_number + 1, last_workspace_run_id = :workspaceRunId
           where organization_id = :organizationId
             and ${own ? 'target_workspace_id = :workspaceId and managed' : 'id = :pipelineId'}
           returning id, last_number)
         insert into pipeline_runs (${own ? 'id, ' : ''}organization_id, pipeline_id, number, workspace_run_id)
         select ${own ? ':workspaceRunId, ' : ''}:organizationId, taken.id, taken.last_number, :workspaceRunId from taken
         returning id, pipeline_id as "pipelineId", number, workspace_run_id as "workspaceRunId",
           created_at as "createdAt"`,
        {
          organizationId,
          workspaceRunId: run.id,
          ...(own ? { workspaceId: run.workspaceId } : { pipelineId }),
        },
      )
      return created[0]
    },

    /** `workspaceId` is null where `workspaceRunId` is. */
    async get(
      pipelineId: number,
      runId: number,
    ): Promise<PipelineRun & { workspaceId: number | null }> {
      const query = db.raw(
        `select p.id, p.pipeline_id as "pipelineId", p.number, p.workspace_run_id as "workspaceRunId",
           p.created_at as "createdAt", r.workspace_id as "workspaceId"
         from pipeline_runs p left join workspace_runs r
           on r.organization_id = p.organization_id and r.id = p.workspace_run_id
         where p.organization_id = ? and p.pipeline_id = ? and p.id = ?`,
        [organizationId, pipelineId, runId],
      )
      type Row = PipelineRun & { workspaceId: number | null }
      const [row] = await askNamed<Row>(db, 'run-of-pipeline', query)
      if (!row) throw notFound()
      return row
    },

    /** By its id alone. Undefined for a plan-only run, which has no place. */
    async find(runId: number): Promise<(PipelineRun & { workspaceId: number | null }) | undefined> {
      return db('pipeline_runs as p')
        .leftJoin('workspace_runs as r', (on) =>
          on.on('r.organizationId', 'p.organizationId').andOn('r.id', 'p.workspaceRunId'),
        )
        .where({ 'p.organizationId': organizationId, 'p.id': runId })
        .first([...columns.map((column) => `p.${column}`), 'r.workspaceId'])
    },

    async list(pipelineId: number, limit: number, beforeNumber: number): Promise<PipelineRun[]> {
      return rows()
        .where({ pipelineId })
        .where('number', '<', beforeNumber)
        .orderBy('number', 'desc')
        .limit(limit)
        .select(columns)
    },

    async ofWorkspaceRuns(workspaceRunIds: readonly number[]): Promise<WorkspaceRunPlace[]> {
      if (workspaceRunIds.length === 0) return []
      const query = db.raw(
        `select id, pipeline_id as "pipelineId", number, workspace_run_id as "workspaceRunId",
           created_at as "createdAt" from pipeline_runs
         where organization_id = ? and workspace_run_id = any(array(select unnest(?::integer[])))
         order by id`,
        [organizationId, [...workspaceRunIds]],
      )
      return askNamed<WorkspaceRunPlace>(db, 'places-of-workspace-runs', query)
    },

    /**
     * The places of runs of either kind, whose ids come from one sequence. A deployment by a workspace has the
     * workspace's run too, which has a place of its own.
     */
    async placesOf(
      ids: readonly number[],
    ): Promise<Array<Pick<PipelineRun, 'id' | 'pipelineId' | 'number'>>> {
      const query = db.raw(
        `select id, pipeline_id as "pipelineId", number from pipeline_runs
         where organization_id = :organizationId and id = any(array(select unnest(:ids::integer[])))
           and coalesce(workspace_run_id, id) = id`,
        { organizationId, ids: [...ids] },
      )
      return askNamed(db, 'places-of-runs', query)
    },

    /** The newest run of each pipeline, by one index look-up per pipeline. */
    async lastOf(pipelineIds: readonly number[]): Promise<LastRun[]> {
      if (pipelineIds.length === 0) return []
      const { rows: last } = await db.raw(
        `select p.id as "pipelineId", r.number, coalesce(w.phase, a.phase) as phase,
           d.confirm_step as "confirmStep"
         from unnest(?::integer[]) as p(id)
           cross join lateral (
             select id, number, workspace_run_id from pipeline_runs
             where organization_id = ? and pipeline_id = p.id order by number desc limit 1) r
           left join workspace_runs w on w.organization_id = ? and w.id = r.workspace_run_id
           left join application_runs a on a.organization_id = ? and a.pipeline_run_id = r.id
             and r.workspace_run_id is null
           left join deployments d on d.organization_id = ? and d.pipeline_run_id = a.pipeline_run_id`,
        [[...pipelineIds], ...Array<number>(4).fill(organizationId)],
      )
      return last
    },

    async hasLive(pipelineId: number): Promise<boolean> {
      const { rows: live } = await db.raw(
        `select from pipeline_runs r
           left join workspace_runs w on w.organization_id = r.organization_id and w.id = r.workspace_run_id
           left join application_runs a on a.organization_id = r.organization_id
             and a.pipeline_run_id = r.id
         where r.organization_id = ? and r.pipeline_id = ?
           and (w.phase = any(?::text[]) or a.phase = any(?::text[])) limit 1`,
        [organizationId, pipelineId, [...livePhases], [...liveApplicationPhases]],
      )
      return live.length > 0
    },
  }
}
