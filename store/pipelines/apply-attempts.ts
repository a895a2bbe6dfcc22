import type { Db } from '../connect.ts'

export type ApplyAttempt = {
  workspaceRunId: number
  fence: number
  worker: string
  processGroup: number | null
  startedAt: Date
  spawnedAt: Date | null
  /** Whether the worker has been heard of within the last `attemptSilenceSeconds`. */
  alive: boolean
  endedAt: Date | null
  exitCode: number | null
}

/** A worker that says nothing for so long is dead, and its sandbox with it (bubblewrap dies with its parent). */
const attemptSilenceSeconds = 15

/** The right to apply a run: one row, so that a second worker cannot take it. */
export function applyAttempts(db: Db, organizationId: number) {
  const rows = (workspaceRunId: number) =>
    db('apply_attempts').where({ organizationId, workspaceRunId })

  return {
    async take(workspaceRunId: number, fence: number, worker: string): Promise<boolean> {
      const taken = await db('apply_attempts')
        .insert({ organizationId, workspaceRunId, fence, worker })
        .onConflict('workspaceRunId')
        .ignore()
        .returning('workspaceRunId')
      return taken.length === 1
    },

    async find(workspaceRunId: number): Promise<ApplyAttempt | undefined> {
      return rows(workspaceRunId).first(
        'workspaceRunId',
        'fence',
        'worker',
        'processGroup',
        'startedAt',
        'spawnedAt',
        db.raw(
          `(ended_at is null and beat_at > now() - interval '${attemptSilenceSeconds} seconds') as alive`,
        ),
        'endedAt',
        'exitCode',
      )
    },

    /** Before the program begins: from here on the outcome is unknown until it is told. False when fenced off. */
    async recordSpawn(workspaceRunId: number, fence: number): Promise<boolean> {
      const count = await rows(workspaceRunId)
        .where({ fence })
        .whereNull('endedAt')
        .update({ spawnedAt: db.fn.now(), beatAt: db.fn.now() })
      return count === 1
    },

    /** By its own fence: a zombie must not make the attempt that replaced it look alive. */
    async beat(
      workspaceRunId: number,
      { fence, processGroup }: { fence: number; processGroup: number | null },
    ): Promise<void> {
      await rows(workspaceRunId).where({ fence }).update({ beatAt: db.fn.now(), processGroup })
    },

    /** With a fence, by the attempt itself: a zombie ends no other's. */
    async end(
      workspaceRunId: number,
      { fence, exitCode }: { fence?: number; exitCode: number | null },
    ): Promise<void> {
      await rows(workspaceRunId)
        .where(fence === undefined ? {} : { fence })
        .whereNull('endedAt')
        .update({ endedAt: db.fn.now(), exitCode })
    },

    /** An attempt that never spawned has not begun: its right is given back. */
    async giveBack(workspaceRunId: number): Promise<void> {
      await rows(workspaceRunId).whereNull('spawnedAt').delete()
    },
  }
}
