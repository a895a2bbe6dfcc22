import { conflict } from '../../domain/errors.ts'
import { isTerminal, stateInWords } from '../../domain/runs/run-state.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { infrastructureRunId } from '../../workflows/infrastructure/contract.ts'
import { endRun } from './end-run.ts'

/**
 * Cancels a run of a workspace. A run without a program ends at once. A plan or an apply gets a mark in its
 * row; the worker that runs it sees the mark and interrupts the program.
 */
export async function cancelWorkspaceRun(
  tenant: Tenant,
  {
    workspaceRunId,
    actor,
    userId,
    comment,
  }: {
    workspaceRunId: number
    actor: AuditActor
    /** Null where the service cancels it. */
    userId: number | null
    comment?: string | undefined
  },
): Promise<void> {
  const { organizationId } = tenant
  const runs = workspaceRuns(tenant)
  const { workspaceId } = await runs.get(workspaceRunId)
  const { name } = await workspaces(tenant).getForUpdate(workspaceId)
  const run = await runs.getForUpdate(workspaceRunId)
  if (isTerminal(run.phase))
    throw conflict('run_not_waiting', `This run is over: ${stateInWords(run)}.`)

  const workflowId = infrastructureRunId({ organizationId, workspaceRunId })
  const noteRequest = async () =>
    auditLog(tenant, actor).record('pipeline.cancel_requested', {
      target: { kind: 'run', id: workspaceRunId, label: name },
      ...(comment !== undefined && { detail: { comment } }),
    })
  const requested = { cancelRequestedAt: new Date(), cancelRequestedBy: userId }
  if (run.phase === 'planning' || run.phase === 'applying') {
    if (run.cancelRequestedAt) return
    await runs.patch(workspaceRunId, requested)
    await noteRequest()
    await runs.announce(workspaceRunId)
  } else {
    // The entry of the end has no room for what the caller said.
    if (comment !== undefined) await noteRequest()
    await endRun(
      tenant,
      { organizationId, workspaceRunId, actor },
      { phase: 'canceled', reason: 'canceled_by_user', change: requested },
    )
  }
  await outbox(tenant).wake(workflowId, `cancel:${workflowId}:${Date.now()}`)
}
