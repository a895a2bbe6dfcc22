import type { AuditActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { waitingApplications } from '../../store/runs/waiting-applications.ts'
import { applicationRunId } from '../../workflows/pipelines/contract.ts'
import { endApplicationRun } from './end-application-run.ts'

/**
 * Ends the runs of a pipeline that wait to be deployed, after a change of what they would deploy
 * (docs/runs.md, "What voids an approval"). Called in the transaction of the change, which holds the
 * pipeline's row.
 */
export async function voidWaitingReleases(
  tenant: Tenant,
  {
    pipelineId,
    actor,
    effect,
    what,
  }: { pipelineId: number; actor: AuditActor; effect: 'stale' | 'guard'; what: string },
): Promise<void> {
  if (effect !== 'stale') return
  const { organizationId } = tenant
  for (const { runId, phase } of await waitingApplications(tenant, pipelineId)) {
    const ended = await endApplicationRun(
      tenant,
      { runId, actor, from: [phase] },
      {
        phase: 'failed',
        reason: 'plan_stale',
        message: `The inputs changed after this run was prepared: ${what}. Start a new run.`,
      },
    )
    const workflowId = applicationRunId({ organizationId, pipelineRunId: runId })
    if (ended) await outbox(tenant).wake(workflowId, `void:${workflowId}:${Date.now()}`)
  }
}
