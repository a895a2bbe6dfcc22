import { newToken } from '../../../domain/access/credentials.ts'
import type { AgentCaller } from '../../../domain/agents/agent-caller.ts'
import { maxAgentsOfWorkspace } from '../../../domain/agents/agent-limits.ts'
import { conflict } from '../../../domain/errors.ts'
import { actorOfAgent } from '../../../app/agents/actor-of-agent.ts'
import { wakeDeployment } from '../../../app/agents/wake-deployment.ts'
import { agentTokens } from '../../../store/agents/agent-tokens.ts'
import { agentChanges } from '../../../store/agents/agent-changes.ts'
import { enrolledAgents, type Join } from '../../../store/agents/enrolled-agents.ts'
import { dropLeases } from '../../../store/agents/host-ends.ts'
import { auditLog } from '../../../store/audit/audit-log.ts'
import { leaveLiveDeployments } from '../../../store/deployments/unfit-hosts.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import type { Deps } from '../../deps.ts'

/**
 * Makes a host of the join's workspace, with a token of its own. A name of a host that is lost is taken over:
 * its token ends, and nothing of it is believed of the new one.
 */
export async function enrollAgent(
  { store }: Pick<Deps, 'store'>,
  agent: AgentCaller,
  name: string,
): Promise<{ id: number; token: string }> {
  const { plain, hash, prefix } = newToken('agt')
  const id = await store.tenant(agent.organizationId, async (tenant) => {
    await agentChanges(tenant).holdWorkspace(agent.workspaceId)
    const join = await enrolledAgents(tenant).join(agent.agentId)
    const known = await enrolledAgents(tenant).findByName(join, name)
    if (known && !known.isLost)
      throw conflict('name_taken', `This workspace has an agent ${name}, which is not lost.`)
    await assertRoom(tenant, join, known)
    const enrolled = known
      ? await takeOver(tenant, join, known.id)
      : await create(tenant, join, name)
    await agentTokens(tenant).add(enrolled, { name, hash, prefix })
    await auditLog(tenant, actorOfAgent(agent)).record('agent.enrolled', {
      target: { kind: 'agent', id: enrolled, label: name },
      detail: { workspaceId: join.workspaceId, joinId: join.id, takenOver: known !== undefined },
    })
    return enrolled
  })
  return { id, token: plain }
}

async function assertRoom(
  tenant: Tenant,
  join: Join,
  known: { joinId: number | null } | undefined,
): Promise<void> {
  const ofJoin = await enrolledAgents(tenant).countOf(join.id)
  if (ofJoin >= join.maxAgents && known?.joinId !== join.id)
    throw conflict('agent_limit', `This token enrolls at most ${join.maxAgents} agents.`)
  if (known) return
  if ((await agentChanges(tenant).count(join.workspaceId, 'host')) >= maxAgentsOfWorkspace)
    throw conflict(
      'agent_limit',
      `A workspace has at most ${maxAgentsOfWorkspace.toLocaleString('en')} agents.`,
    )
}

async function create(tenant: Tenant, { id, workspaceId, labels }: Join, name: string) {
  const made = await agentChanges(tenant).create({
    workspaceId,
    kind: 'host',
    name,
    labels,
    joinId: id,
  })
  return made.id
}

async function takeOver(tenant: Tenant, join: Join, id: number): Promise<number> {
  for (const deploymentId of await dropLeases(tenant, id))
    await wakeDeployment(tenant, deploymentId, `taken-over:${id}:${Date.now()}`)
  await agentTokens(tenant).revokeAll(id)
  await leaveLiveDeployments(tenant, id, join.labels)
  await enrolledAgents(tenant).takeOver(id, join)
  return id
}
