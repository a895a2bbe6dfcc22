import type { Tenant } from '../../store/driver/tenant.ts'
import type { AuditActor } from '../../store/audit/audit-log.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { infrastructureRunId } from '../../workflows/infrastructure/contract.ts'
import { endRun } from './end-run.ts'
import { sendBackRun } from './send-back-run.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'

export type GuardChange = {
  workspaceId: number
  actor: AuditActor
  /** `stale`: the plan no longer describes what would be done. `guard`: only who may approve it changed. */
  effect: 'stale' | 'guard'
  /** What changed, for the run's message and the audit entry. */
  what: string
}

/**
 * Settles the waiting runs of a workspace after a change of what they were planned from or of what
 * guards them (docs/runs.md, "What voids an approval"). Called in the transaction of the change,
 * which holds the workspace's row.
 */
export async function voidWaitingRuns(
  tenant: Tenant,
  { workspaceId, actor, effect, what }: GuardChange,
): Promise<void> {
  const { organizationId } = tenant

  const runs = workspaceRuns(tenant)
  for (const run of await runs.waitingForApproval(workspaceId)) {
    if (effect === 'stale') {
      await endRun(
        tenant,
        { organizationId, workspaceRunId: run.id, actor },
        {
          phase: 'failed',
          reason: 'plan_stale',
          message: `The inputs changed after this plan was made: ${what}. Start a new run.`,
        },
      )
    } else {
      await sendBackRun(tenant, { workspaceRunId: run.id, actor, because: what })
    }
    // Also without an approval: the gates may have to judge the plan by new rules.
    const workflowId = infrastructureRunId({ organizationId, workspaceRunId: run.id })
    await outbox(tenant).wake(workflowId, `void:${workflowId}:${Date.now()}`)
  }
}
