import { checkManifest } from '../../domain/manifest/check-manifest.ts'
import { planRelease } from '../../domain/pipelines/release-plan.ts'
import { hostsBehind, type HostBehind } from '../../store/agents/hosts-behind.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { releases } from '../../store/runs/releases.ts'

/**
 * A host that was offline in a deployment which is over is given what its pipeline last deployed well, never
 * an older release, and nothing if that is for hosts with other labels than it has now: such a host must not learn the
 * release's variables. True if it has something to do now. One whose pipeline deploys waits for the end of it.
 */
export async function catchUp(tenant: Tenant, agentId: number): Promise<boolean> {
  const rows = hostsBehind(tenant)
  let isWanted = false
  for (const { pipelineId, currentRunId, isCurrent, labels } of await rows.ofAgent(agentId)) {
    const settled = await rows.settle(agentId, pipelineId)
    if (!settled || isCurrent || currentRunId === null) continue
    if (!(await isFor(tenant, currentRunId, labels))) continue
    await rows.wantCurrent(agentId, currentRunId)
    isWanted = true
  }
  return isWanted
}

async function isFor(
  tenant: Tenant,
  runId: number,
  labels: HostBehind['labels'],
): Promise<boolean> {
  const { manifest } = await releases(tenant).get(runId)
  const wanted = planRelease(checkManifest(manifest ?? '').manifest?.deploy).labels
  return Object.entries(wanted).every(([key, value]) => labels[key] === value)
}
