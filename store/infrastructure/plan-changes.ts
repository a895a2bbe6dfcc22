import type { Tenant } from '../driver/tenant.ts'
import { sealedBatches } from '../sealed-batches.ts'

/** The rows of a run's plan (domain/infrastructure/split-plan.ts) that one attempt wrote; `plans.attempt` names the valid one. */
export const planChanges = (
  tenant: Tenant,
  { workspaceRunId, attempt }: { workspaceRunId: number; attempt: string },
) => sealedBatches(tenant, { table: 'plan_changes', owner: { workspaceRunId, attempt } })
