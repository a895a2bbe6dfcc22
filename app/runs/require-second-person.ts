import { infrastructureRunId } from '../../workflows/infrastructure/contract.ts'
import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { approvalExpiry } from '../../domain/runs/approval-expiry.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { outbox } from '../../store/outbox/outbox.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import type { Workspace } from '../../store/workspaces/workspaces.ts'
import { mailApprovers } from './mail-approvers.ts'

/**
 * The workspace became a production one: a confirmation is no longer enough for its runs that wait. They wait for a
 * second person for the full time, and policies for production judge their plans. Called in the transaction of the
 * change, which holds the workspace's row.
 */
export async function requireSecondPerson(
  tenant: Tenant,
  { id, name }: Pick<Workspace, 'id' | 'name'>,
  actor: AuditActor,
): Promise<void> {
  const settings = await organizationSettings(tenant)
  const expiresAt = approvalExpiry(settings, new Date())
  for (const run of await workspaceRuns(tenant).requireSecondPerson(id, expiresAt)) {
    await auditLog(tenant, actor).record('pipeline.awaiting_approval', {
      target: { kind: 'run', id: run.id, label: name },
      detail: { workspaceId: id, reasons: run.approvalReasons, because: 'criticality' },
    })
    await mailApprovers(tenant, run)
    const { organizationId } = tenant
    const workflowId = infrastructureRunId({ organizationId, workspaceRunId: run.id })
    await outbox(tenant).wake(workflowId, `production:${workflowId}:${Date.now()}`)
  }
}
