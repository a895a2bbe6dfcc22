import type { Tenant } from '../../store/driver/tenant.ts'
import type { AuditActor } from '../../store/audit/audit-log.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { infrastructureRunId } from '../../workflows/infrastructure/contract.ts'
import { endRun } from './end-run.ts'
import { sendBackRun } from './send-back-run.ts'
import { waitingForApproval } from '../../store/runs/waiting-for-approval.ts'

export type VoidingChange = {
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
  { workspaceId, ...change }: VoidingChange & { workspaceId: number },
): Promise<void> {
  await voidRunsOfWorkspaces(tenant, { ...change, workspaceIds: [workspaceId] })
}

/** The same for many workspaces, whose rows the transaction holds. */
export async function voidRunsOfWorkspaces(
  tenant: Tenant,
  { workspaceIds, actor, effect, what }: VoidingChange & { workspaceIds: readonly number[] },
): Promise<void> {
  const { organizationId } = tenant

  for (const workspaceRunId of await waitingForApproval(tenant, workspaceIds)) {
    if (effect === 'stale') {
      await endRun(
        tenant,
        { organizationId, workspaceRunId, actor },
        {
          phase: 'failed',
          reason: 'plan_stale',
          message: `The inputs changed after this plan was made: ${what}. Start a new run.`,
        },
      )
    } else {
      await sendBackRun(tenant, { workspaceRunId, actor, because: what })
    }
    // Also without an approval: the gates may have to judge the plan by new rules.
    const workflowId = infrastructureRunId({ organizationId, workspaceRunId })
    await outbox(tenant).wake(workflowId, `void:${workflowId}:${Date.now()}`)
  }
}
