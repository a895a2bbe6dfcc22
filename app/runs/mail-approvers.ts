import type { Tenant } from '../../store/driver/tenant.ts'
import { mails } from '../../store/mails/mails.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'

/** Queues a mail to everybody who may approve the run now, once per person, run and stage (store/mails/mails.ts). */
export async function mailApprovers(
  tenant: Tenant,
  { id }: { id: number },
  stage = 'approve',
): Promise<void> {
  await approvers(tenant).queueMails([id], stage)
  await mails(tenant).announce()
}

/**
 * The same for each run that waits for a confirmation. Called after a change that takes a role or membership away: where
 * the author may not confirm any more, who alone was asked, others are.
 */
export async function mailConfirmers(tenant: Tenant): Promise<void> {
  const waiting = await workspaceRuns(tenant).waitingForConfirmation()
  if (waiting.length === 0) return
  await approvers(tenant).queueMails(waiting, 'approve')
  await mails(tenant).announce()
}
