import type { AuditActor } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { releaseApprovals } from '../../store/runs/release-approvals.ts'
import { releases } from '../../store/runs/releases.ts'
import { waitForSecondPerson } from './wait-for-second-person.ts'
import { wakeApplication } from './wake-application.ts'

/**
 * Voids the approval of a release that is not deployed yet, its own or an earlier one that it uses again: it
 * waits for another one, for the full time. The caller holds the pipeline's row. False if there was none.
 */
export async function sendBackRelease(
  tenant: Tenant,
  { runId, actor, because }: { runId: number; actor: AuditActor; because: string },
): Promise<boolean> {
  const isVoid = await releaseApprovals(tenant).voidStanding(runId, because)
  const release = await releases(tenant).get(runId)
  if (!isVoid && release.approvedBefore === null) return false
  await releases(tenant).setApprovedBefore(runId, null)
  await waitForSecondPerson(tenant, { ...release, actor, because })
  await wakeApplication(tenant, runId, 'void')
  return true
}
