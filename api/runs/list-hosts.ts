import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { deploymentHosts, type ListedHost } from '../../store/deployments/deployment-hosts.ts'
import { deployments } from '../../store/deployments/deployments.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { notMade } from '../artifacts/find-artifact.ts'
import type { Deps } from '../deps.ts'
import type { HostList } from './host-schemas.ts'

type Answer = Static<typeof HostList>

/** The hosts of a run's deployment by their order. Not found before it begins, and of a run that deploys nothing. */
export async function listHosts(
  deps: Deps,
  caller: Caller,
  { id, runId, limit, after }: { id: number; runId: number; limit: number; after: number },
): Promise<Answer> {
  return deps.store.tenant(caller.organizationId, async (tenant) => {
    await pipelineRuns(tenant).get(id, runId)
    if (!(await deployments(tenant).find(runId))) throw notMade()
    const found = await deploymentHosts(tenant).page(runId, { after, limit: limit + 1 })
    const hosts = found.slice(0, limit)
    const last = hosts.at(-1)
    return {
      hosts: hosts.map(presentHost),
      nextCursor: found.length > limit && last ? String(last.position) : null,
    }
  })
}

const presentHost = (host: ListedHost): Answer['hosts'][number] => ({
  agent: { id: host.agentId, name: host.name },
  state: host.state,
  batch: host.batch,
  release: host.afterDigest === null ? null : { digest: host.afterDigest, runId: host.afterRunId },
  // Written by the agent's side, in this shape.
  hooks: host.hooks as Answer['hosts'][number]['hooks'],
  message: host.message,
  startedAt: host.startedAt?.toISOString() ?? null,
  endedAt: host.endedAt?.toISOString() ?? null,
})
