import type { Db } from '../connect.ts'
import { sealedBatches } from '../sealed-batches.ts'

/** The rows of a run's plan (domain/plans/split-plan.ts) that one try of it wrote; `plans.attempt` says which counts. */
export function planChanges(
  db: Db,
  organizationId: number,
  { runId: workspaceRunId, attempt }: { runId: number; attempt: string },
) {
  return {
    ...sealedBatches(db, organizationId, {
      table: 'plan_changes',
      owner: { workspaceRunId, attempt },
    }),

    /** What other tries of the run left. */
    async removeOthers(): Promise<void> {
      await db('plan_changes')
        .where({ organizationId, workspaceRunId })
        .whereNot({ attempt })
        .delete()
    },
  }
}
