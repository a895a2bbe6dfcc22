import type { Tenant } from '../../store/driver/tenant.ts'
import { approvalExpiry } from '../../domain/runs/approval-expiry.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import { mailApprovers } from './mail-approvers.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { approvals } from '../../store/runs/approvals.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'

export type SentBack = { workspaceRunId: number; actor: AuditActor; because: string }

/**
 * Voids the approval of a run, which then waits for another one, for the full time. The caller
 * holds the workspace's row and wakes the workflow. False if there was no approval.
 */
export async function sendBackRun(
  tenant: Tenant,
  { workspaceRunId, actor, because }: SentBack,
): Promise<boolean> {
  if (!(await approvals(tenant).voidStanding(workspaceRunId, because))) return false
  const settings = await organizationSettings(tenant)
  await workspaceRuns(tenant).move(workspaceRunId, ['apply_queued'], {
    phase: 'awaiting_approval',
    approvalExpiresAt: approvalExpiry(settings, new Date()),
  })
  await stages(tenant).waitAgain(workspaceRunId)
  await auditLog(tenant, actor).record('pipeline.awaiting_approval', {
    target: { kind: 'run', id: workspaceRunId },
    detail: { because },
  })
  const run = await workspaceRuns(tenant).get(workspaceRunId)
  await mailApprovers(tenant, run)
  return true
}
