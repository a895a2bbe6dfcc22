import type { Tenant } from '../../store/driver/tenant.ts'
import { mails } from '../../store/mails/mails.ts'
import type { ApprovalStage } from '../../store/runs/approvals.ts'
import { approvers } from '../../store/runs/approvers.ts'

/** Queues a mail to everybody who may approve the run now, once per person and run. */
export async function mailApprovers(
  tenant: Tenant,
  { id }: { id: number },
  stage: ApprovalStage = 'approve',
): Promise<void> {
  await approvers(tenant).queueMails(id, stage)
  await mails(tenant).announce()
}
