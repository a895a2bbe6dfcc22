import { conflict } from '../../domain/errors.ts'
import { onCancel } from '../../domain/pipelines/application-state.ts'
import type { AuditActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { lockApplication } from '../../store/runs/move-application.ts'
import { applicationRunId } from '../../workflows/pipelines/contract.ts'
import { endApplicationRun } from './end-application-run.ts'

/**
 * Cancels a run of an application. A fetch and a build change nothing outside, so the run ends at once;
 * the worker sees that it is over, and ends its programs.
 */
export async function cancelApplicationRun(
  tenant: Tenant,
  { runId, actor }: { runId: number; actor: AuditActor },
): Promise<void> {
  const { phase, reason } = await lockApplication(tenant, runId)
  if (onCancel(phase) !== 'end')
    throw conflict(
      'run_not_waiting',
      `This run cannot be canceled: it is ${phase.replaceAll('_', ' ')}${reason ? ` (${reason})` : ''}.`,
    )
  await endApplicationRun(
    tenant,
    { runId, actor, from: [phase] },
    { phase: 'canceled', reason: 'canceled_by_user' },
  )
  const { organizationId } = tenant
  const workflowId = applicationRunId({ organizationId, pipelineRunId: runId })
  await outbox(tenant).wake(workflowId, `cancel:${workflowId}:${Date.now()}`)
}
