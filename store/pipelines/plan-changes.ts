import type { Db } from '../connect.ts'
import { sealedBatches } from '../sealed-batches.ts'

/** The rows of a run's plan (domain/plans/split-plan.ts) that one attempt wrote; `plans.attempt` names the valid one. */
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

    /** Deletes what other attempts left. */
    async removeOthers(): Promise<void> {
      await db('plan_changes')
        .where({ organizationId, workspaceRunId })
        .whereNot({ attempt })
        .delete()
    },
  }
}
