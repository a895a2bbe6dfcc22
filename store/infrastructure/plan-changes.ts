import { unwrap, type Tenant } from '../driver/tenant.ts'
import { sealedBatches } from '../sealed-batches.ts'

/** The rows of a run's plan (domain/infrastructure/split-plan.ts) that one attempt wrote; `plans.attempt` names the valid one. */
export function planChanges(
  tenant: Tenant,
  { runId: workspaceRunId, attempt }: { runId: number; attempt: string },
) {
  const { db, organizationId } = unwrap(tenant)

  return {
    ...sealedBatches(tenant, {
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
