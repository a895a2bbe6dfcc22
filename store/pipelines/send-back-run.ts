import { auditLog, type AuditActor } from '../audit/audit-log.ts'
import type { Db } from '../connect.ts'
import { mails } from '../mails/mails.ts'
import { organizationSettings } from '../organizations/settings.ts'
import { approvals } from './approvals.ts'
import { stages } from './stages.ts'
import { workspaceRuns } from './workspace-runs.ts'

export type SentBack = { runId: number; actor: AuditActor; because: string }

/**
 * Voids the approval of a run, which then waits for another one, for the full time. The caller
 * holds the workspace's row and wakes the workflow. False if there was no approval.
 */
export async function sendBackRun(
  db: Db,
  organizationId: number,
  { runId, actor, because }: SentBack,
): Promise<boolean> {
  if (!(await approvals(db, organizationId).voidStanding(runId, because))) return false
  const { approvalExpiryHours } = await organizationSettings(db, organizationId)
  await workspaceRuns(db, organizationId).move(runId, ['apply_queued'], {
    phase: 'awaiting_approval',
    approvalExpiresAt: new Date(Date.now() + approvalExpiryHours * 3_600_000),
  })
  await stages(db, organizationId).waitAgain(runId)
  await auditLog(db, organizationId, actor).record('pipeline.awaiting_approval', {
    target: { kind: 'run', id: runId },
    detail: { because },
  })
  const run = await workspaceRuns(db, organizationId).get(runId)
  await mails(db, organizationId).queueApproval(run)
  return true
}
