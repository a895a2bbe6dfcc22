import { unwrap, type Tenant } from '../driver/tenant.ts'
import { applicationStages, stagesOf } from '../../domain/pipelines/application-state.ts'
import type { StageState } from '../../domain/runs/run-state.ts'

/** The run that a stage belongs to: one of the two is set. */
export type RunOfStages = { id: number; workspaceRunId: number | null }

export type Stage = {
  id: number
  workspaceRunId: number | null
  /** Of a run of an application. */
  pipelineRunId: number | null
  name: string
  position: number
  state: StageState
  by: string | null
  startedAt: Date | null
  endedAt: Date | null
  lastSeq: number
  /** Size of its log in bytes. */
  logBytes: number
}

/** The stages of one organization's runs, in the order in which they run. */
export function stages(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const columns = [
    'id',
    'workspaceRunId',
    'pipelineRunId',
    'name',
    'position',
    'state',
    'by',
    'startedAt',
    'endedAt',
    'lastSeq',
    'logBytes',
  ]
  const rows = () => db('stages').where({ organizationId })

  return {
    async create(workspaceRunId: number, names: readonly string[]): Promise<void> {
      await db('stages').insert(
        names.map((name, position) => ({
          organizationId,
          workspaceRunId,
          name,
          position,
          state: position === 0 ? 'queued' : 'pending',
        })),
      )
    },

    /** Of a run of an application, which is queued. */
    async createOfApplication(
      pipelineRunId: number,
      { hasArtifact = false }: { hasArtifact?: boolean } = {},
    ): Promise<void> {
      const at = stagesOf('queued', { hasArtifact })
      await db('stages').insert(
        applicationStages.map((name, position) => ({
          organizationId,
          pipelineRunId,
          name,
          position,
          state: at[name],
        })),
      )
    },

    /** The stages of these pipeline runs, each run's in their order. */
    async ofRuns(runs: readonly RunOfStages[]): Promise<Stage[]> {
      const ofWorkspaces = runs.flatMap(({ workspaceRunId }) => workspaceRunId ?? [])
      const ofApplications = runs.flatMap((run) => (run.workspaceRunId === null ? run.id : []))
      const found = await Promise.all([
        ofWorkspaces.length === 0
          ? []
          : rows()
              .whereIn('workspaceRunId', ofWorkspaces)
              .orderBy(['workspaceRunId', 'position'])
              .select(columns),
        ofApplications.length === 0
          ? []
          : rows()
              .whereIn('pipelineRunId', ofApplications)
              .orderBy(['pipelineRunId', 'position'])
              .select(columns),
      ])
      return found.flat()
    },

    /** The stage of this id as it is now. */
    async get(id: number): Promise<Stage | undefined> {
      return rows().where({ id }).first(columns)
    },

    async find(workspaceRunId: number, name: string): Promise<Stage | undefined> {
      return rows().where({ workspaceRunId, name }).first(columns)
    },

    async begin(workspaceRunId: number, name: string): Promise<void> {
      await rows()
        .where({ workspaceRunId, name })
        .update({
          state: 'running',
          startedAt: db.raw('coalesce(started_at, now())'),
          endedAt: null,
        })
    },

    async set(
      workspaceRunId: number,
      name: string,
      change: { state: StageState; by?: string | null; ended?: boolean },
    ): Promise<void> {
      const { state, by, ended = false } = change
      await rows()
        .where({ workspaceRunId, name })
        .update({
          state,
          ...(by !== undefined && { by }),
          startedAt: db.raw('coalesce(started_at, now())'),
          endedAt: ended ? db.fn.now() : null,
        })
    },

    /** Sends a run back to wait for an approval: its apply has not begun and is not next. */
    async waitAgain(workspaceRunId: number): Promise<void> {
      await this.set(workspaceRunId, 'approve', { state: 'waiting', by: null })
      await rows()
        .where({ workspaceRunId, name: 'apply' })
        .update({ state: 'pending', startedAt: null, endedAt: null })
    },
  }
}
