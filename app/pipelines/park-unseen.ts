import { unwrap, type Tenant } from '../../store/driver/tenant.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { mails } from '../../store/mails/mails.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { stages } from '../../store/pipelines/stages.ts'
import { workspaceRuns, type WorkspaceRun } from '../../store/pipelines/workspace-runs.ts'

/**
 * With `planApproval: unseen`, a production run of files that nobody but their authors has approved
 * waits for a second person before it is planned, because a plan runs its author's code with the
 * workspace's secrets. It has no workflow, token or sandbox yet, holds no turn and takes no place, so other
 * runs of the workspace go on. True if it waits now. The workspace's row must be locked.
 */
export async function parkUnseen(tenant: Tenant, run: WorkspaceRun): Promise<boolean> {
  const { db } = unwrap(tenant)

  const { planApproval, approvalExpiryHours } = await organizationSettings(tenant)
  if (planApproval !== 'unseen') return false
  const { criticality, name } = await workspaces(tenant).get(run.workspaceId)
  if (criticality !== 'production' || (await isSeen(tenant, run))) return false
  const moved = await workspaceRuns(tenant).move(run.id, ['queued'], {
    phase: 'awaiting_plan_approval',
    approvalExpiresAt: new Date(Date.now() + approvalExpiryHours * 3_600_000),
  })
  if (!moved) return true
  await stages(tenant).set(run.id, 'plan', { state: 'waiting' })
  await auditLog(tenant, systemActor).record('pipeline.awaiting_plan_approval', {
    target: { kind: 'run', id: run.id, label: name },
    detail: { workspaceId: run.workspaceId, kind: run.kind },
  })
  await mails(tenant).queueApproval(run, 'plan')
  await db.raw(`select pg_notify('cc_run', ?)`, [String(run.id)])
  return true
}

/**
 * Whether somebody who is no author of these files has approved them here, to be planned or
 * applied. Compares hashes, so that a return to approved files needs no new approval.
 */
async function isSeen(tenant: Tenant, { configurationVersionId }: WorkspaceRun): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)

  const { rows } = await db.raw(
    `select exists (
       select from configuration_versions v
         join configuration_versions same on same.organization_id = v.organization_id
           and same.workspace_id = v.workspace_id and same.files_sha256 = v.files_sha256
         join workspace_runs r on r.organization_id = v.organization_id
           and r.configuration_version_id = same.id
         join approvals a on a.organization_id = r.organization_id and a.workspace_run_id = r.id
       where v.organization_id = ? and v.id = ? and a.decision = 'approved' and a.voided_at is null
         and a.user_id <> all(v.author_user_ids) and a.user_id <> all(same.author_user_ids)) as seen`,
    [organizationId, configurationVersionId],
  )
  return rows[0].seen
}
