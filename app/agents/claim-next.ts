import type { AgentCaller } from '../../domain/agents/agent-caller.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { auditLog } from '../../store/audit/audit-log.ts'
import { hostWork, isExhausted, type Held, type HostWork } from '../../store/agents/host-work.ts'
import {
  releaseOfDeployment,
  type DeployedRelease,
} from '../../store/agents/release-of-deployment.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { actorOfAgent } from './actor-of-agent.ts'
import { catchUp } from './catch-up.ts'
import { endHostAction } from './end-host-action.ts'
import { hookEnvironment, type HookVariable } from './hook-environment.ts'

export type ClaimedWork = {
  deploymentId: number
  fence: number
  action: NonNullable<HostWork['action']>
  leaseUntil: Date
  release: DeployedRelease
  env: HookVariable[]
}

/**
 * Claims what the agent is to do next, under a new fencing number. Of two claims at once one gets it. What
 * cannot be done any more is ended here, and the next is looked at. `later`: nothing was found, and not all was looked
 * at.
 */
export async function claimNext(
  { store, keyring }: { store: Store; keyring: Keyring },
  agent: AgentCaller,
  held: Held | undefined,
): Promise<ClaimedWork | 'later' | undefined> {
  return store.tenant(agent.organizationId, async (tenant) => {
    for (;;) {
      const next = hostWork(tenant).nextForUpdate(agent.agentId, held)
      const work = (await next) ?? (await behind(tenant, agent, held))
      if (!work || work === 'later') return work
      if (work.isLeased) await noteLost(tenant, agent, work)
      const release = await releaseFor(tenant, work)
      if (!work.fits || !release || release.isGone || isExhausted(work)) {
        await giveUp(tenant, work, release)
        continue
      }
      const { fence, leaseUntil } = await hostWork(tenant).lease(work)
      return {
        deploymentId: work.deploymentId,
        fence,
        action: work.action,
        leaseUntil,
        release,
        env: hookEnvironment(keyring, agent.organizationId, release),
      }
    }
  })
}

async function behind(tenant: Tenant, agent: AgentCaller, held: Held | undefined) {
  const outcome = await catchUp(tenant, agent.agentId)
  if (outcome === 'later') return outcome
  if (outcome === 'nothing') return undefined
  return hostWork(tenant).nextForUpdate(agent.agentId, held)
}

/** A rollback brings the earlier deployment's release, with its hooks. */
async function releaseFor(
  tenant: Tenant,
  { action, deploymentId, earlierRunId }: HostWork,
): Promise<DeployedRelease | undefined> {
  if (action !== 'rollback') return releaseOfDeployment(tenant, deploymentId)
  return earlierRunId === null ? undefined : releaseOfDeployment(tenant, earlierRunId)
}

async function giveUp(
  tenant: Tenant,
  work: HostWork,
  release: DeployedRelease | undefined,
): Promise<void> {
  const { digest, runId } = work.runs
  await endHostAction(tenant, work, {
    ok: false,
    release: digest === null ? null : { digest, runId },
    message: whyNot(work, release),
  })
}

function whyNot(work: HostWork, release: DeployedRelease | undefined): string {
  if (!release || release.isGone) return 'The release is no longer kept.'
  if (!work.fits) return 'The agent does not have the labels of this release any more.'
  return `The agent was lost ${work.leasesLost + (work.isLeased ? 1 : 0)} times.`
}

/** The agent claims again what it held: the process that held it has ended. */
async function noteLost(tenant: Tenant, agent: AgentCaller, work: HostWork): Promise<void> {
  await auditLog(tenant, actorOfAgent(agent)).record('agent.lease_lost', {
    outcome: 'failure',
    target: { kind: 'agent', id: agent.agentId, label: agent.name },
    detail: { deploymentId: work.deploymentId, action: work.action, fence: work.fence },
  })
}
