import { auditLog, type AuditActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { approvalExpiry } from '../../domain/runs/approval-expiry.ts'
import { mails } from '../../store/mails/mails.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { moveApplication } from '../../store/runs/move-application.ts'
import { releases, type Release } from '../../store/runs/releases.ts'

/** The run waits for an approval, for the full time. The caller holds the pipeline's row. */
export async function waitForSecondPerson(
  tenant: Tenant,
  release: Pick<Release, 'runId' | 'phase' | 'pipelineId' | 'pipelineName' | 'releaseDigest'> & {
    actor: AuditActor
    because?: string
  },
): Promise<void> {
  const { runId, phase, pipelineId, pipelineName, releaseDigest, actor, because } = release
  const settings = await organizationSettings(tenant)
  await releases(tenant).setApprovalExpiry(runId, approvalExpiry(settings, new Date()))
  if (phase !== 'awaiting_approval')
    await moveApplication(tenant, runId, { from: phase, to: 'awaiting_approval' })
  await auditLog(tenant, actor).record('pipeline.awaiting_approval', {
    target: { kind: 'run', id: runId, label: pipelineName },
    detail: {
      pipelineId,
      kind: 'application',
      planDigest: releaseDigest,
      ...(because !== undefined && { because }),
    },
  })
  await approvers(tenant).queueMails([runId], 'approve', 'application_run_id')
  await mails(tenant).announce()
}
