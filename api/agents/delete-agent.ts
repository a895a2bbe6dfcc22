import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { wakeDeployment } from '../../app/agents/wake-deployment.ts'
import { agentTokens } from '../../store/agents/agent-tokens.ts'
import { agentChanges } from '../../store/agents/agent-changes.ts'
import { agents } from '../../store/agents/agents.ts'
import { dropLeases } from '../../store/agents/host-ends.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Deps } from '../deps.ts'

/**
 * Deletes an agent and its tokens. The host keeps what it runs. One that is at work is deleted by force
 * only: its deployment counts it as lost.
 */
export async function deleteAgent(
  deps: Deps,
  caller: Caller,
  { id, force }: { id: number; force: boolean },
): Promise<void> {
  await deps.store.tenant(caller.organizationId, async (tenant) => {
    const { name, busy, workspaceId } = await agents(tenant).get(id)
    if (busy && !force)
      throw conflict(
        'agent_busy',
        'This agent carries out a deployment. Wait for it, or delete it by force.',
      )
    // Hosts before their agent, as a result locks them.
    for (const deploymentId of await dropLeases(tenant, id))
      await wakeDeployment(tenant, deploymentId, `deleted:${id}`)
    await agentChanges(tenant).delete(id)
    await agentTokens(tenant).revokeAll(id)
    await auditLog(tenant, actorOf(caller)).record('agent.deleted', {
      target: { kind: 'agent', id, label: name },
      detail: { workspaceId, force, busy },
    })
  })
}
