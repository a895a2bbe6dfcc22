import type { Store } from '../driver/connect.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type ApplyAttempt = {
  workspaceRunId: number
  fence: number
  worker: string
  processGroup: number | null
  startedAt: Date
  spawnedAt: Date | null
  /** Whether the worker sent a beat within the last `attemptSilenceSeconds`. */
  alive: boolean
  endedAt: Date | null
  exitCode: number | null
}

/** After this silence a worker counts as dead, and its sandbox with it: bubblewrap dies with its parent. */
const attemptSilenceSeconds = 15
const isAlive = `ended_at is null and beat_at > now() - interval '${attemptSilenceSeconds} seconds'`

/** The right to apply a run: one row, so that a second worker cannot take it. */
export function applyAttempts(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = (workspaceRunId: number) =>
    db('apply_attempts').where({ organizationId, workspaceRunId })

  return {
    async find(workspaceRunId: number): Promise<ApplyAttempt | undefined> {
      return rows(workspaceRunId).first(
        'workspaceRunId',
        'fence',
        'worker',
        'processGroup',
        'startedAt',
        'spawnedAt',
        db.raw(`(${isAlive}) as alive`),
        'endedAt',
        'exitCode',
      )
    },

    /**
     * Before the program starts: from here on a lost outcome is unknown. False if another attempt has
     * the fence. Not by `store.write`: what a worker sent in one message is committed although it died
     * while it waited for the row, and its program was never started.
     */
    async recordSpawn(workspaceRunId: number, fence: number): Promise<boolean> {
      const count = await rows(workspaceRunId)
        .where({ fence })
        .whereNull('endedAt')
        .update({ spawnedAt: db.fn.now(), beatAt: db.fn.now() })
      return count === 1
    },

    /** With a fence, only the attempt itself is ended: an older worker cannot end a newer attempt. */
    async end(
      workspaceRunId: number,
      { fence, exitCode }: { fence?: number; exitCode: number | null },
    ): Promise<void> {
      await rows(workspaceRunId)
        .where(fence === undefined ? {} : { fence })
        .whereNull('endedAt')
        .update({ endedAt: db.fn.now(), exitCode })
    },

    /** Deletes an attempt that never started its program, so that the run can be applied. */
    async giveBack(workspaceRunId: number): Promise<void> {
      await rows(workspaceRunId).whereNull('spawnedAt').delete()
    },
  }
}

/** Of these runs, those whose worker is alive. */
export async function aliveAttempts(
  tenant: Tenant,
  workspaceRunIds: readonly number[],
): Promise<Set<number>> {
  if (workspaceRunIds.length === 0) return new Set()
  const { db, organizationId } = unwrap(tenant)
  const rows = await db('apply_attempts')
    .where({ organizationId })
    .whereIn('workspaceRunId', [...workspaceRunIds])
    .whereRaw(isAlive)
    // Not `pluck`: it reads the rows before their columns have the names of the code.
    .select('workspaceRunId')
  return new Set(rows.map(({ workspaceRunId }) => workspaceRunId))
}

/** Needs the attempt's own fence: an older worker must not make the newer attempt look alive. */
export async function beatAttempt(
  store: Pick<Store, 'write'>,
  organizationId: number,
  {
    workspaceRunId,
    fence,
    processGroup,
  }: { workspaceRunId: number; fence: number; processGroup: number | null },
): Promise<void> {
  await store.write(organizationId, {
    name: 'beat-attempt',
    text: `update apply_attempts set beat_at = now(), process_group = $4
      where organization_id = $1 and workspace_run_id = $2 and fence = $3`,
    values: [organizationId, workspaceRunId, fence, processGroup],
  })
}
