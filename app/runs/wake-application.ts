import type { Tenant } from '../../store/driver/tenant.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { applicationRunId } from '../../workflows/pipelines/contract.ts'

/** The run's workflow reads the store again, once this transaction commits. */
export async function wakeApplication(
  tenant: Tenant,
  runId: number,
  because: string,
): Promise<void> {
  const { organizationId } = tenant
  const workflowId = applicationRunId({ organizationId, pipelineRunId: runId })
  await outbox(tenant).wake(workflowId, `${because}:${workflowId}:${Date.now()}`)
}
