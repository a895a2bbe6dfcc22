import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { hostEnds } from '../../store/agents/host-ends.ts'
import { hostWork, isExhausted } from '../../store/agents/host-work.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { endHostAction } from './end-host-action.ts'
import { wakeDeployment } from './wake-deployment.ts'

/**
 * Ends a lease that its agent did not renew, so that the work can be claimed again. Where the deployment wants
 * the host to stop, or its agent died too often, the host's action ends with what was last known of it.
 * Repeatable: of two workers one ends it.
 */
export async function expireLease(
  tenant: Tenant,
  { deploymentId, agentId }: { deploymentId: number; agentId: number },
): Promise<void> {
  const before = await hostWork(tenant).findForUpdate(deploymentId, agentId)
  if (!before || before.action === null || before.isLeased) return
  const { action } = before
  const isLost = await hostEnds(tenant).endLease(deploymentId, agentId)
  if (isLost)
    await auditLog(tenant, systemActor).record('agent.lease_lost', {
      outcome: 'failure',
      target: { kind: 'agent', id: agentId, label: before.agentName },
      detail: { deploymentId, action, fence: before.fence },
    })
  const work = { ...before, action, leasesLost: before.leasesLost + (isLost ? 1 : 0) }
  if (work.isStopping || isExhausted(work)) {
    const { digest, runId } = work.runs
    await endHostAction(tenant, work, {
      ok: false,
      release: digest === null ? null : { digest, runId },
      message: work.isStopping
        ? 'Stopped: its agent was lost meanwhile.'
        : `The agent was lost ${work.leasesLost} times.`,
    })
  } else if (isLost && !work.isOver)
    await wakeDeployment(tenant, deploymentId, `lease:${agentId}:${work.fence}`)
}
