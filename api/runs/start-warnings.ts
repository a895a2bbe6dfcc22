import type { Tenant } from '../../store/driver/tenant.ts'
import { agentsOfTarget } from '../../store/deployments/agents-of-target.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import { approvers } from '../../store/runs/approvers.ts'
import { releases } from '../../store/runs/releases.ts'

/** What the starter of a run is told at once: that its target has no agent, or that nobody may approve it. */
export async function startWarnings(tenant: Tenant, runId: number): Promise<string[]> {
  const { targetWorkspaceId, criticality, pipelineId } = await releases(tenant).get(runId)
  if (targetWorkspaceId === null) return []
  const isByWorkspace = await deployments(tenant).isByWorkspace(pipelineId)
  const agents = await agentsOfTarget(tenant, targetWorkspaceId)
  const able =
    criticality === 'production' ? await approvers(tenant).eligibleOf([runId]) : undefined
  return [
    ...(agents.online === 0 && !isByWorkspace ? ['no_agents'] : []),
    ...(able?.length === 0 ? ['no_eligible_approver'] : []),
  ]
}
