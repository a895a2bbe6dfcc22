import type { AgentCaller } from '../../domain/agents/agent-caller.ts'
import type { AuditActor } from '../../store/audit/audit-log.ts'

export const actorOfAgent = ({ agentId, name, ip, requestId }: AgentCaller): AuditActor => ({
  kind: 'agent',
  id: agentId,
  label: name,
  ip,
  requestId,
})
