import type { Tenant } from '../../store/driver/tenant.ts'
import { agentsOfTarget } from '../../store/deployments/agents-of-target.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { releases } from '../../store/runs/releases.ts'

/** What the starter of a run is told at once: that its target has no agent, or that nobody may approve it. */
export async function startWarnings(tenant: Tenant, runId: number): Promise<string[]> {
  const { targetWorkspaceId, criticality } = await releases(tenant).get(runId)
  if (targetWorkspaceId === null) return []
  const agents = await agentsOfTarget(tenant, targetWorkspaceId)
  const able =
    criticality === 'production' ? await approvers(tenant).eligibleOf([runId]) : undefined
  return [
    ...(agents.online === 0 ? ['no_agents'] : []),
    ...(able?.length === 0 ? ['no_eligible_approver'] : []),
  ]
}
