import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { isTerminal, stateInWords } from '../../domain/runs/run-state.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { endRun } from '../../app/runs/end-run.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { infrastructureRunId } from '../../workflows/infrastructure/contract.ts'

/**
 * Cancels a run. A run without a program ends at once. A plan or an apply gets a mark in its row;
 * the worker that runs it sees the mark and interrupts the program.
 */
export async function cancelRun(
  tenant: Tenant,
  caller: Caller,
  { workspaceRunId, comment }: { workspaceRunId: number; comment?: string | undefined },
): Promise<void> {
  const { organizationId } = caller
  const runs = workspaceRuns(tenant)
  const { workspaceId } = await runs.get(workspaceRunId)
  const { name } = await workspaces(tenant).getForUpdate(workspaceId)
  const run = await runs.getForUpdate(workspaceRunId)
  if (isTerminal(run.phase))
    throw conflict('run_not_waiting', `This run is over: ${stateInWords(run)}.`)

  const actor = actorOf(caller)
  const workflowId = infrastructureRunId({ organizationId, workspaceRunId })
  const noteRequest = async () =>
    auditLog(tenant, actor).record('pipeline.cancel_requested', {
      target: { kind: 'run', id: workspaceRunId, label: name },
      ...(comment !== undefined && { detail: { comment } }),
    })
  if (run.phase === 'planning' || run.phase === 'applying') {
    if (run.cancelRequestedAt) return
    await runs.patch(workspaceRunId, {
      cancelRequestedAt: new Date(),
      cancelRequestedBy: caller.userId,
    })
    await noteRequest()
    await runs.announce(workspaceRunId)
  } else {
    // The entry of the end has no room for what the caller said.
    if (comment !== undefined) await noteRequest()
    await endRun(
      tenant,
      { organizationId, workspaceRunId, actor },
      {
        phase: 'canceled',
        reason: 'canceled_by_user',
        change: { cancelRequestedAt: new Date(), cancelRequestedBy: caller.userId },
      },
    )
  }
  await outbox(tenant).wake(workflowId, `cancel:${workflowId}:${Date.now()}`)
}
