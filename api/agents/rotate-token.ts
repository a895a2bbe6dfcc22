import type { Caller } from '../../domain/access/caller.ts'
import { newToken } from '../../domain/access/credentials.ts'
import { ensureSigningKey } from '../../app/signing/ensure-signing-key.ts'
import { agentTokens } from '../../store/agents/agent-tokens.ts'
import { agents } from '../../store/agents/agents.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import type { NewAgent } from './create-agent.ts'
import type { AgentFile } from './agent-file.ts'
import { installCommand } from './install-command.ts'

/** A new token of an agent. The one before it works for another hour. */
export async function rotateToken(
  deps: Deps,
  { caller, origin, file }: { caller: Caller; origin: string; file: AgentFile | undefined },
  id: number,
): Promise<NewAgent> {
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (tenant) => agents(tenant).get(id))
  const { keyId } = await ensureSigningKey(deps, organizationId)
  const { plain, hash, prefix } = newToken('agt')
  const agent = await deps.store.tenant(organizationId, async (tenant) => {
    const { name } = await agents(tenant).getForUpdate(id)
    await agentTokens(tenant).rotate(id, { name, hash, prefix })
    await auditLog(tenant, actorOf(caller)).record('agent.token_rotated', {
      target: { kind: 'agent', id, label: name },
    })
    return agents(tenant).get(id)
  })
  return {
    agent,
    token: plain,
    install: installCommand({ origin, token: plain, keyId, sha256: file?.sha256 }),
  }
}
