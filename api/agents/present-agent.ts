import type { Agent } from '../../store/agents/agents.ts'
import type { AgentBody } from './schemas.ts'

export function presentAgent(agent: Agent): AgentBody {
  const { id, name, workspaceId, labels, state, version, protocol, os, arch, release, busy } = agent
  return {
    id,
    name,
    workspaceId,
    labels,
    state,
    version,
    protocol,
    os,
    arch,
    lastSeenAt: agent.lastSeenAt?.toISOString() ?? null,
    release,
    busy,
    join:
      agent.joinMaxAgents === null
        ? null
        : {
            maxAgents: agent.joinMaxAgents,
            enrolled: agent.joined,
            expiresAt: agent.joinExpiresAt?.toISOString() ?? null,
          },
    createdAt: agent.createdAt.toISOString(),
  }
}
