import type { Tenant } from '../../store/driver/tenant.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { applicationRunId, applicationRunType } from '../../workflows/pipelines/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'

/** Queues the start of the run's workflow. `again` makes a later start distinct from the first. */
export async function requestApplicationStart(
  tenant: Tenant,
  run: { id: number; number: number; pipelineId: number; pipelineName: string; again?: string },
): Promise<void> {
  const { organizationId } = tenant
  const workflowId = applicationRunId({ organizationId, pipelineRunId: run.id })
  await outbox(tenant).start({
    workflowType: applicationRunType,
    workflowId,
    taskQueue: controlQueue,
    input: { runId: run.id },
    summary: `${run.pipelineName}, run ${run.number}`,
    searchAttributes: {
      OrgId: `org-${organizationId}`,
      RunKind: 'application',
      PipelineId: run.pipelineId,
    },
    dedupeKey: `start:${workflowId}${run.again ?? ''}`,
  })
}
