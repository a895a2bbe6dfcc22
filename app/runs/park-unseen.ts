import type { Tenant } from '../../store/driver/tenant.ts'
import { approvalExpiry } from '../../domain/runs/approval-expiry.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { mailApprovers } from './mail-approvers.ts'
import type { OrganizationSettings } from '../../store/organizations/settings.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { approvals } from '../../store/runs/approvals.ts'
import { stages } from '../../store/runs/stages.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/runs/workspace-runs.ts'

/**
 * With `planApproval: unseen`, a production run of files that nobody but their authors has approved
 * waits for a second person before it is planned, because a plan runs its author's code with the
 * workspace's secrets. It has no workflow, token or sandbox yet, holds no turn and takes no place, so other
 * runs of the workspace go on. True if it waits now. The workspace's row must be locked.
 */
export async function parkUnseen(
  tenant: Tenant,
  run: WorkspaceRun,
  settings: OrganizationSettings,
): Promise<boolean> {
  if (settings.planApproval !== 'unseen') return false
  const { criticality, name } = await workspaces(tenant).get(run.workspaceId)
  if (criticality !== 'production') return false
  if (await approvals(tenant).haveSeen(run.configurationVersionId)) return false
  const moved = await workspaceRuns(tenant).move(run.id, ['queued'], {
    phase: 'awaiting_plan_approval',
    approvalExpiresAt: approvalExpiry(settings, new Date()),
  })
  if (!moved) return true
  await stages(tenant).set(run.id, 'plan', { state: 'waiting' })
  await auditLog(tenant, systemActor).record('pipeline.awaiting_plan_approval', {
    target: { kind: 'run', id: run.id, label: name },
    detail: { workspaceId: run.workspaceId, kind: run.kind },
  })
  await mailApprovers(tenant, run, 'plan')
  await workspaceRuns(tenant).announce(run.id)
  return true
}
