import { askForm, askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model, raw } from 'objection'
import { notFound } from '../../domain/errors.ts'
import type { StageMoves } from './stage-moves.ts'
import type { RunOrigin } from '../../domain/runs/run-origin.ts'
import type { ApprovalReason } from '../../domain/runs/approval-reason.ts'
import type { UnseenCause } from '../../domain/runs/unseen-because.ts'
import { livePhases, type RunPhase, type RunReason } from '../../domain/runs/run-state.ts'

class WorkspaceRunRow extends Model {
  static override tableName = 'workspace_runs'
  static override jsonAttributes = ['summary', 'cost', 'gates', 'found']
  declare id: number
  declare organizationId: number
  declare workspaceId: number
  declare kind: 'apply' | 'plan'
  declare destroy: boolean
  declare phase: RunPhase
  declare reason: RunReason | null
  declare message: string | null
  declare configurationVersionId: number
  /** Sealed. */
  declare overrides: Buffer | null
  /** Keyed hash over them, to be read by `macOfOverrides`; null for none, and of runs from before it was stored. */
  declare overridesMac: Buffer | null
  /** Of a rerun with overrides: who started the runs that had them before. */
  declare overridesBy: number[]
  declare origin: RunOrigin
  /** The member who started the run; set if its origin is `person`. */
  declare authorUserId: number | null
  declare authorTokenId: number | null
  declare authorshipThrough: number
  declare planDigest: string | null
  declare summary: Record<string, unknown> | null
  declare cost: Record<string, unknown> | null
  declare gates: unknown[]
  declare found: Record<string, unknown> | null
  /** Who started it asked for a confirmation of its plan. */
  declare confirm: boolean
  /** What who started it says about it. `message` is about its end. */
  declare startMessage: string | null
  /** Why an approval is needed; empty for a run that needs none, or has no plan yet. */
  declare approvalReasons: ApprovalReason[]
  /** What it is planned with, where a second person must have seen that (`variablesDigest`). */
  declare variablesDigest: string | null
  /** Why it waits, or waited last, for a second person before its plan. */
  declare unseenBecause: UnseenCause | null
  declare cancelRequestedAt: Date | null
  declare cancelRequestedBy: number | null
  declare approvalExpiresAt: Date | null
  declare engineRunId: string | null
  /** Its step was handed back, because its organization holds its share of the worker's slots. */
  declare waitsForSlotSince: Date | null
  declare createdAt: Date
  declare startedAt: Date | null
  declare endedAt: Date | null
}

/** Without its overrides: they have up to 256 KiB, and only a worker's step reads them (run-of-step.ts). */
export type WorkspaceRun = Omit<WorkspaceRunRow, Unread>
type Unread = keyof Model | 'organizationId' | keyof RunOverrides
export type RunOverrides = Pick<WorkspaceRunRow, 'overrides' | 'overridesMac' | 'overridesBy'>

export type NewWorkspaceRun = Pick<
  WorkspaceRun,
  'workspaceId' | 'kind' | 'destroy' | 'configurationVersionId' | 'origin' | 'authorUserId'
> &
  Partial<RunOverrides & Pick<WorkspaceRun, 'authorTokenId' | 'confirm' | 'startMessage'>>

export type RunChange = Partial<
  Omit<WorkspaceRun, 'id' | 'workspaceId' | 'kind' | 'phase' | 'createdAt'>
>

/** Each by its name, as a prepared statement needs. */
const columns: Record<keyof WorkspaceRun, string> = {
  id: 'r.id',
  workspaceId: 'r.workspace_id',
  kind: 'r.kind',
  destroy: 'r.destroy',
  phase: 'r.phase',
  reason: 'r.reason',
  message: 'r.message',
  configurationVersionId: 'r.configuration_version_id',
  origin: 'r.origin',
  authorUserId: 'r.author_user_id',
  authorTokenId: 'r.author_token_id',
  authorshipThrough: 'r.authorship_through',
  planDigest: 'r.plan_digest',
  summary: 'r.summary',
  cost: 'r.cost',
  gates: 'r.gates',
  found: 'r.found',
  confirm: 'r.confirm',
  startMessage: 'r.start_message',
  approvalReasons: 'r.approval_reasons',
  variablesDigest: 'r.variables_digest',
  unseenBecause: 'r.unseen_because',
  cancelRequestedAt: 'r.cancel_requested_at',
  cancelRequestedBy: 'r.cancel_requested_by',
  approvalExpiresAt: 'r.approval_expires_at',
  engineRunId: 'r.engine_run_id',
  waitsForSlotSince: 'r.waits_for_slot_since',
  createdAt: 'r.created_at',
  startedAt: 'r.started_at',
  endedAt: 'r.ended_at',
}
const names = Object.keys(columns)
/** The columns of `workspace_runs r`, each as its name here or as the SQL that is given instead. */
export const selectedOfRun = (instead: Partial<typeof columns> = {}): string =>
  Object.entries({ ...columns, ...instead })
    .map(([name, column]) => `${column} as "${name}"`)
    .join(', ')

/**
 * The workspace runs of one organization. The tenant is bound once, so no query below can forget
 * it: a run of another organization is not found.
 */
export function workspaceRuns(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => WorkspaceRunRow.query(db).where({ organizationId })
  const runs = () => rows().select(names)
  const holdsTurn = (workspaceId: number) =>
    runs()
      .where({ workspaceId, kind: 'apply' })
      .whereIn('phase', ['planning', 'awaiting_approval', 'apply_queued', 'applying'])

  return {
    async create(run: NewWorkspaceRun): Promise<WorkspaceRun> {
      return WorkspaceRunRow.query(db)
        .insert({ organizationId, phase: 'queued', ...run })
        .returning(names)
    },

    async get(id: number): Promise<WorkspaceRun> {
      const row = await runs().findOne({ id })
      if (!row) throw notFound()
      return row
    },

    /** Wakes whoever waits for a change of the run, when the transaction commits. */
    async announce(id: number): Promise<void> {
      await db.raw(`select pg_notify('cc_run', ?)`, [String(id)])
    },

    async getForUpdate(id: number): Promise<WorkspaceRun> {
      const row = await runs().findOne({ id }).forUpdate()
      if (!row) throw notFound()
      return row
    },

    /** Throws not-found if the run is not this workspace's. */
    async assertOfWorkspace(workspaceId: number, id: number): Promise<void> {
      const query = db.raw(
        'select id from workspace_runs where organization_id = ? and workspace_id = ? and id = ?',
        [organizationId, workspaceId, id],
      )
      const found = await askNamed(db, 'run-of-workspace', query)
      if (found.length === 0) throw notFound()
    },

    async phasesOf(ids: readonly number[]): Promise<Array<Pick<WorkspaceRun, 'id' | 'phase'>>> {
      return ids.length === 0
        ? []
        : rows()
            .whereIn('id', [...ids])
            .select('id', 'phase')
    },

    /** The ids of a page of its runs, the newest first. */
    async idsOf(
      workspaceId: number,
      limit: number,
      before: number,
    ): Promise<Array<{ id: number }>> {
      const query = db.raw(
        `select id from workspace_runs where organization_id = ? and workspace_id = ? and id < ?
         order by id desc limit ?`,
        [organizationId, workspaceId, before, limit],
      )
      return askNamed<{ id: number }>(db, 'ids-of-workspace-runs', query)
    },

    async lastOf(workspaceIds: readonly number[]): Promise<WorkspaceRun[]> {
      if (workspaceIds.length === 0) return []
      return runs()
        .distinctOn('workspaceId')
        .whereIn('workspaceId', [...workspaceIds])
        .where({ kind: 'apply' })
        .orderBy('workspaceId')
        .orderBy('id', 'desc')
    },

    /**
     * Compare-and-swap: the run moves only if it is still in one of `from`. Of two racing workers, or
     * an activity and its retry, exactly one gets `true`.
     */
    async move(
      id: number,
      from: readonly RunPhase[],
      change: RunChange & { phase: RunPhase },
    ): Promise<boolean> {
      const moved = await rows()
        .where({ id })
        .whereIn('phase', [...from])
        .patch(change)
      return moved === 1
    },

    /**
     * The same, with the stages of the run that the move changes and the notification of who waits
     * for the run, in one statement.
     */
    async moveWithStages(
      id: number,
      from: readonly RunPhase[],
      { change, stages }: { change: RunChange & { phase: RunPhase }; stages: StageMoves },
    ): Promise<boolean> {
      const moving = rows()
        .where({ id })
        .whereIn('phase', [...from])
        .patch(change)
        .returning(['organizationId', 'id'])
      const query = db
        .with('moved', moving.toKnexQuery())
        .with('changed', db.raw(stages.sql, stages.bindings))
        .from('moved')
        .select(db.raw(`pg_notify('cc_run', id::text)`))
      const moved = await askForm(db, query)
      return moved.length === 1
    },

    async patch(id: number, change: RunChange): Promise<void> {
      await rows().where({ id }).patch(change)
    },

    async hasLive(workspaceId: number): Promise<boolean> {
      const row = await rows()
        .where({ workspaceId })
        .whereIn('phase', [...livePhases])
        .select('id')
        .first()
      return row !== undefined
    },

    /** The run that has the workspace's turn. */
    async holderOfTurn(workspaceId: number): Promise<WorkspaceRun | undefined> {
      return holdsTurn(workspaceId).first()
    },

    /** The oldest queued run, if the workspace's turn is free and nobody holds its lock. */
    async nextInTurn(workspaceId: number): Promise<WorkspaceRun | undefined> {
      // Materialized: ordered by the id, all runs of the organization would be read in its order.
      const query = db.raw(
        `with queued as materialized (
           select ${selectedOfRun()} from workspace_runs r where r.organization_id = :organizationId
             and r.workspace_id = :workspaceId and r.kind = 'apply' and r.phase = 'queued')
         select * from queued
         where not exists (select from workspace_runs where organization_id = :organizationId
             and workspace_id = :workspaceId and kind = 'apply'
             and phase in ('planning', 'awaiting_approval', 'apply_queued', 'applying'))
           and not exists (select from workspace_locks
             where organization_id = :organizationId and workspace_id = :workspaceId)
         order by id limit 1`,
        { organizationId, workspaceId },
      )
      const [next] = await askNamed<WorkspaceRun>(db, 'next-in-turn', query)
      return next
    },

    /** The workspace became a production one: its runs that wait for a confirmation need a second person now. */
    async requireSecondPerson(
      workspaceId: number,
      approvalExpiresAt: Date,
    ): Promise<WorkspaceRun[]> {
      return rows()
        .where({ workspaceId, phase: 'awaiting_approval' })
        .whereRaw(`not 'production' = any(approval_reasons)`)
        .patch({
          approvalReasons: raw(`array_append(approval_reasons, 'production')`),
          approvalExpiresAt,
        })
        .returning(names)
    },

    /** Those of all workspaces for which a confirmation is enough. */
    async waitingForConfirmation(): Promise<number[]> {
      const found = await rows()
        .where({ phase: 'awaiting_approval' })
        .whereRaw(`approval_reasons = '{confirm}'`)
        .select('id')
      return found.map(({ id }) => id)
    },
  }
}
