import type { Caller } from '../../domain/access/caller.ts'
import { newToken } from '../../domain/access/credentials.ts'
import { maxAgentsOfWorkspace, maxJoinsOfWorkspace } from '../../domain/agents/agent-limits.ts'
import { conflict } from '../../domain/errors.ts'
import { ensureSigningKey } from '../../app/signing/ensure-signing-key.ts'
import { agentTokens } from '../../store/agents/agent-tokens.ts'
import { agentChanges } from '../../store/agents/agent-changes.ts'
import { agents, type Agent } from '../../store/agents/agents.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { Deps } from '../deps.ts'
import type { AgentFile } from './agent-file.ts'
import { installCommand } from './install-command.ts'
import type { NewAgentBody } from './schemas.ts'

export type NewAgent = { agent: Agent; token: string; install: string }

/** Makes a host's agent with its token, or a join whose token enrolls hosts. */
export async function createAgent(
  deps: Deps,
  { caller, origin, file }: { caller: Caller; origin: string; file: AgentFile | undefined },
  { name, workspaceId, labels = {}, join }: NewAgentBody,
): Promise<NewAgent> {
  const { organizationId } = caller
  const kind = join ? 'join' : 'host'
  // Another organization's workspace is not found before a key is made.
  await deps.store.tenant(organizationId, async (tenant) =>
    agentChanges(tenant).holdWorkspace(workspaceId),
  )
  const { keyId } = await ensureSigningKey(deps, organizationId)
  const { plain, hash, prefix } = newToken('agt')
  const agent = await deps.store.tenant(organizationId, async (tenant) => {
    await agentChanges(tenant).holdWorkspace(workspaceId)
    await assertRoom(tenant, workspaceId, kind)
    const made = await agentChanges(tenant).create({
      workspaceId,
      kind,
      name,
      labels,
      ...(join && { joinMaxAgents: join.maxAgents }),
    })
    await agentTokens(tenant).add(made.id, {
      name,
      hash,
      prefix,
      ...(join && { expiresInDays: join.expiresInDays }),
    })
    await auditLog(tenant, actorOf(caller)).record('agent.created', {
      target: { kind: 'agent', id: made.id, label: name },
      detail: { workspaceId, kind, labels, ...join },
    })
    return agents(tenant).get(made.id)
  })
  return {
    agent,
    token: plain,
    install: installCommand({ origin, token: plain, keyId, sha256: file?.sha256 }),
  }
}

async function assertRoom(tenant: Tenant, workspaceId: number, kind: Agent['kind']): Promise<void> {
  const limit = kind === 'host' ? maxAgentsOfWorkspace : maxJoinsOfWorkspace
  if ((await agentChanges(tenant).count(workspaceId, kind)) < limit) return
  const what = kind === 'host' ? 'agents' : 'tokens that enroll agents'
  throw conflict('agent_limit', `A workspace has at most ${limit.toLocaleString('en')} ${what}.`)
}
