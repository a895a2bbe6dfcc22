import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../../domain/access/caller.ts'
import { agentChanges } from '../../store/agents/agent-changes.ts'
import { agents, type Agent } from '../../store/agents/agents.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import type { AgentChangeBody } from './schemas.ts'

/** Renames, labels, pauses or resumes. What changes nothing is no entry. */
export async function updateAgent(
  deps: Deps,
  caller: Caller,
  { id, change }: { id: number; change: AgentChangeBody },
): Promise<Agent> {
  return deps.store.tenant(caller.organizationId, async (tenant) => {
    const before = await agents(tenant).getForUpdate(id)
    const after = await agentChanges(tenant).update(before, change)
    const shown = ({ name, labels, state }: Agent) => ({ name, labels, paused: state === 'paused' })
    if (isDeepStrictEqual(shown(before), shown(after))) return after
    await auditLog(tenant, actorOf(caller)).record('agent.updated', {
      target: { kind: 'agent', id, label: after.name },
      detail: { before: shown(before), after: shown(after) },
    })
    return after
  })
}
