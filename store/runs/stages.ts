import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { StageState } from '../../domain/runs/run-state.ts'

export type Stage = {
  id: number
  workspaceRunId: number
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

    async ofRuns(workspaceRunIds: readonly number[]): Promise<Stage[]> {
      if (workspaceRunIds.length === 0) return []
      return rows()
        .whereIn('workspaceRunId', [...workspaceRunIds])
        .orderBy(['workspaceRunId', 'position'])
        .select(columns)
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
