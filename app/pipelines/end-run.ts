import type { Tenant } from '../../store/driver/tenant.ts'
import {
  mayComeFrom,
  stageAtEnd,
  type RunReason,
  type TerminalPhase,
} from '../../domain/pipelines/run-state.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import { commentOnEnd } from '../git/start-comment.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import { workspaceLocks } from '../../store/workspaces/workspace-locks.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { promoteNext } from './promote-next.ts'
import { stages } from '../../store/pipelines/stages.ts'
import { workspaceRuns, type RunChange } from '../../store/pipelines/workspace-runs.ts'

export type RunEnd = {
  phase: TerminalPhase
  reason?: RunReason
  /** Shown with the run. */
  message?: string
  change?: RunChange
}

const events: Record<TerminalPhase, string> = {
  succeeded: 'pipeline.run_succeeded',
  failed: 'pipeline.run_failed',
  canceled: 'pipeline.run_canceled',
}

/**
 * Ends a run once: state, stages, audit entry, token, lock and the next run's turn in one
 * transaction, so that a crash cannot leave a lock of a finished run or a queue that stands still.
 * False if somebody else ended the run first.
 */
export async function endRun(
  tenant: Tenant,
  place: { organizationId: number; runId: number; actor: AuditActor },
  end: RunEnd,
): Promise<boolean> {
  const { runId, actor } = place
  const runs = workspaceRuns(tenant)
  const run = await runs.get(runId)
  const { workspaceId, kind } = run
  // The workspace's row is locked first, as everywhere: turns are decided under that lock.
  const workspace = await workspaces(tenant).getForUpdate(workspaceId)
  const moved = await runs.move(runId, mayComeFrom[end.phase], {
    ...end.change,
    phase: end.phase,
    reason: end.reason ?? null,
    message: end.message ?? null,
    endedAt: new Date(),
  })
  if (!moved) return false

  const stageRows = stages(tenant)
  for (const stage of await stageRows.ofRuns([runId])) {
    const state = stageAtEnd(stage.state, end.phase)
    if (state !== stage.state) await stageRows.close(stage, state)
  }
  await tokens(tenant).revokeOfRun(runId)
  await workspaceLocks(tenant).releaseOfRun(runId)
  await auditLog(tenant, actor).record(events[end.phase], {
    outcome: end.phase === 'failed' ? 'failure' : 'success',
    target: { kind: 'run', id: runId, label: workspace.name },
    detail: { workspaceId, kind, ...(end.reason && { reason: end.reason }) },
  })
  // Runs of pull requests are plan-only.
  if (kind === 'plan') await commentOnEnd(tenant, run)
  await runs.announce(runId)
  await promoteNext(tenant, workspaceId)
  return true
}
