import type { Tenant } from '../../store/driver/tenant.ts'
import {
  mayComeFrom,
  type RunPhase,
  type RunReason,
  type TerminalPhase,
} from '../../domain/runs/run-state.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import { commentOnEnd } from '../git/start-comment.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import { freeRun } from '../../store/runs/free-run.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import { promoteNext } from './promote-next.ts'
import { wakeApplication } from './wake-application.ts'
import { runEnds } from '../../store/runs/stage-moves.ts'
import {
  workspaceRuns,
  type RunChange,
  type WorkspaceRun,
} from '../../store/runs/workspace-runs.ts'

export type RunEnd = {
  phase: TerminalPhase
  /** The phases that the caller may end. By default every phase that may come to this end. */
  from?: readonly RunPhase[]
  reason?: RunReason
  /** Shown with the run. */
  message?: string
  change?: RunChange
}

/** The run, and its workspace, whose row this transaction has locked. */
type Held = {
  run: Pick<WorkspaceRun, 'id' | 'workspaceId' | 'kind' | 'configurationVersionId'>
  workspace: Pick<Workspace, 'name'>
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
  place: { organizationId: number; workspaceRunId: number; actor: AuditActor; held?: Held },
  end: RunEnd,
): Promise<boolean> {
  const { workspaceRunId, actor } = place
  const runs = workspaceRuns(tenant)
  const { run, workspace } = place.held ?? (await hold(tenant, workspaceRunId))
  const { workspaceId, kind } = run
  const moved = await runs.moveWithStages(workspaceRunId, end.from ?? mayComeFrom[end.phase], {
    change: {
      ...end.change,
      phase: end.phase,
      reason: end.reason ?? null,
      message: end.message ?? null,
      endedAt: new Date(),
    },
    stages: runEnds(end.phase),
  })
  if (!moved) return false

  // Independent of each other, so they are sent together.
  await Promise.all([
    freeRun(tenant, workspaceRunId),
    auditLog(tenant, actor).record(events[end.phase], {
      outcome: end.phase === 'failed' ? 'failure' : 'success',
      target: { kind: 'run', id: workspaceRunId, label: workspace.name },
      detail: { workspaceId, kind, ...(end.reason && { reason: end.reason }) },
    }),
  ])
  // Runs of pull requests are plan-only.
  if (kind === 'plan') await commentOnEnd(tenant, run)
  else await wakeDeployment(tenant, workspaceRunId)
  await promoteNext(tenant, workspaceId)
  return true
}

/** The run of an application whose deployment this run was. */
async function wakeDeployment(tenant: Tenant, workspaceRunId: number): Promise<void> {
  const runId = await deployments(tenant).liveOfWorkspaceRun(workspaceRunId)
  if (runId !== undefined) await wakeApplication(tenant, runId, `end-${workspaceRunId}`)
}

/** The workspace's row is locked first, as everywhere: turns are decided under that lock. */
async function hold(tenant: Tenant, workspaceRunId: number): Promise<Held> {
  const run = await workspaceRuns(tenant).get(workspaceRunId)
  return { run, workspace: await workspaces(tenant).getForUpdate(run.workspaceId) }
}
