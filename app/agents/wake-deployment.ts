import type { Tenant } from '../../store/driver/tenant.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { applicationRunId } from '../../workflows/pipelines/contract.ts'

/** Has the run look at its hosts again, once this transaction commits. `because` names the change, once. */
export async function wakeDeployment(
  tenant: Tenant,
  deploymentId: number,
  because: string,
): Promise<void> {
  const { organizationId } = tenant
  const workflowId = applicationRunId({ organizationId, pipelineRunId: deploymentId })
  await outbox(tenant).wake(workflowId, `${workflowId}:${because}`)
}
