import { hostsBehind, type HostBehind } from '../../store/agents/hosts-behind.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { labelsOfManifest } from '../deployments/labels-of-manifest.ts'

/** `later`: there is nothing to do now, and one more call may find something. */
export type CaughtUp = 'wanted' | 'nothing' | 'later'

/**
 * To check a manifest takes the API up to 31 ms, and a thousand hosts of an organization can return at once, each
 * behind in many pipelines. Only a deployment from before labels were stored needs it, and only once.
 */
const manifestsOfCall = 1

/**
 * A host that was offline in a deployment which is over is given what its pipeline last deployed well, never
 * an older release, and nothing if that is for hosts with other labels than it has now: such a host must not learn the
 * release's variables. One whose pipeline deploys waits for the end of it.
 */
export async function catchUp(tenant: Tenant, agentId: number): Promise<CaughtUp> {
  const rows = hostsBehind(tenant)
  let outcome: CaughtUp = 'nothing'
  let manifests = 0
  for (const host of await rows.ofAgent(agentId)) {
    const { pipelineId, currentRunId, isCurrent } = host
    const missed = isCurrent ? null : currentRunId
    let wanted = host.currentLabels
    if (missed !== null && wanted === null) {
      if (manifests === manifestsOfCall) {
        if (outcome === 'nothing') outcome = 'later'
        continue
      }
      manifests += 1
      // Before the host's row is locked: a delete of the pipeline locks the two in this order.
      wanted = await labelsOfManifest(tenant, missed)
    }
    const settled = await rows.settle(agentId, pipelineId)
    if (!settled || missed === null || !hasAll(host, wanted ?? {})) continue
    await rows.wantCurrent(agentId, missed)
    outcome = 'wanted'
  }
  return outcome
}

const hasAll = ({ labels }: HostBehind, wanted: HostBehind['labels']): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value)
