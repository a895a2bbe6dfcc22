import { hostsBehind } from '../../store/agents/hosts-behind.ts'
import type { Tenant } from '../../store/driver/tenant.ts'

/**
 * A host that was offline in a deployment which is over is given what its pipeline last deployed well, never
 * an older release. True if it has something to do now. One whose pipeline deploys waits for the end of it.
 */
export async function catchUp(tenant: Tenant, agentId: number): Promise<boolean> {
  const rows = hostsBehind(tenant)
  let isWanted = false
  for (const { pipelineId, currentRunId, isCurrent } of await rows.ofAgent(agentId)) {
    const settled = await rows.settle(agentId, pipelineId)
    if (!settled || isCurrent || currentRunId === null) continue
    await rows.wantCurrent(agentId, currentRunId)
    isWanted = true
  }
  return isWanted
}
