import { conflict } from '../../domain/errors.ts'
import { onCancel } from '../../domain/pipelines/application-state.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { lockApplication } from '../../store/runs/move-application.ts'
import { endApplicationRun } from './end-application-run.ts'
import { wakeApplication } from './wake-application.ts'

/**
 * Cancels a run of an application. Before its deployment nothing outside was changed, so it ends at once,
 * and the worker, which sees that it is over, ends its programs. A deployment is stopped: the run ends once
 * the hosts that it changed have gone back.
 */
export async function cancelApplicationRun(
  tenant: Tenant,
  { runId, actor, comment }: { runId: number; actor: AuditActor; comment?: string | undefined },
): Promise<void> {
  const { phase, reason, pipelineId, pipelineName } = await lockApplication(tenant, runId)
  const act = onCancel(phase)
  if (act === 'refuse')
    throw conflict(
      'run_not_waiting',
      `This run cannot be canceled: it is ${phase.replaceAll('_', ' ')}${reason ? ` (${reason})` : ''}.`,
    )
  const noteRequest = async () =>
    auditLog(tenant, actor).record('pipeline.cancel_requested', {
      target: { kind: 'run', id: runId, label: pipelineName },
      detail: { pipelineId, kind: 'application', ...(comment !== undefined && { comment }) },
    })
  if (act === 'end') {
    // The entry of the end has no room for what the caller said.
    if (comment !== undefined) await noteRequest()
    await endApplicationRun(
      tenant,
      { runId, actor, from: [phase] },
      { phase: 'canceled', reason: 'canceled_by_user' },
    )
    // A second cancel changes nothing.
  } else if (await deployments(tenant).requestStop(runId, 'canceled')) await noteRequest()
  await wakeApplication(tenant, runId, 'cancel')
}
