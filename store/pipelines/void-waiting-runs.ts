import { auditLog, type AuditActor } from '../audit/audit-log.ts'
import type { Db } from '../connect.ts'
import { outbox } from '../outbox/outbox.ts'
import { infrastructureRunId } from '../../workflows/pipelines/contract.ts'
import { approvals } from './approvals.ts'
import { endRun } from './end-run.ts'
import { stages } from './stages.ts'
import { workspaceRuns } from './workspace-runs.ts'

export type GuardChange = {
  workspaceId: number
  actor: AuditActor
  /** `stale`: the plan no longer says what would be done. `guard`: only who may approve it has changed. */
  effect: 'stale' | 'guard'
  /** What changed, for the run's message and the audit entry. */
  what: string
}

/**
 * Called by whoever changes what a waiting run was planned from, or what guards it, in
 * the transaction of that change and holding the workspace's row (decisions §4).
 */
export async function voidWaitingRuns(
  db: Db,
  organizationId: number,
  { workspaceId, actor, effect, what }: GuardChange,
): Promise<void> {
  const runs = workspaceRuns(db, organizationId)
  for (const run of await runs.waitingForApproval(workspaceId)) {
    if (effect === 'stale') {
      await endRun(
        db,
        { organizationId, runId: run.id, actor },
        {
          phase: 'failed',
          reason: 'plan_stale',
          message: `The plan no longer holds: ${what}. Start a new run.`,
        },
      )
    } else {
      const voided = await approvals(db, organizationId).voidStanding(run.id, what)
      if (!voided) continue
      await runs.move(run.id, ['apply_queued'], { phase: 'awaiting_approval' })
      await stages(db, organizationId).set(run.id, 'approve', { state: 'waiting', by: null })
      await auditLog(db, organizationId, actor).record('pipeline.awaiting_approval', {
        target: { kind: 'run', id: run.id },
        detail: { because: what },
      })
    }
    const workflowId = infrastructureRunId({ organizationId, runId: run.id })
    await outbox(db, organizationId).wake(workflowId, `void:${workflowId}:${Date.now()}`)
  }
}
