import { conflict, notFound } from '../../domain/errors.ts'
import { isUniqueViolation, type Db } from '../driver/connect.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { agents, type Agent, type AgentKind, type AgentLabels } from './agents.ts'

export type NewAgent = {
  workspaceId: number
  kind: AgentKind
  name: string
  labels: AgentLabels
  joinMaxAgents?: number
  joinId?: number
}

type Named = Pick<NewAgent, 'workspaceId' | 'kind' | 'name'>

/** What is written of agents. */
export function agentChanges(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('agents').where({ organizationId }).whereNull('deletedAt')

  return {
    async create(agent: NewAgent): Promise<Agent> {
      const { labels, ...row } = agent
      const id = await refuseTakenName(tenant, agent, async (savepoint) => {
        const [made] = await savepoint('agents')
          .insert({ organizationId, ...row, labels: JSON.stringify(labels) })
          .returning('id')
        return made.id
      })
      return agents(tenant).get(id)
    },

    async update(
      agent: Agent,
      { labels, ...change }: { name?: string; labels?: AgentLabels; paused?: boolean },
    ): Promise<Agent> {
      const next = { ...change, ...(labels && { labels: JSON.stringify(labels) }) }
      if (Object.keys(next).length > 0)
        await refuseTakenName(
          tenant,
          { ...agent, name: change.name ?? agent.name },
          async (savepoint) =>
            savepoint('agents').where({ organizationId, id: agent.id }).update(next),
        )
      // Its open claim may have work for it now.
      if (change.paused === false)
        await db.raw(`select pg_notify('cc_agent', ?::text)`, [String(agent.id)])
      return agents(tenant).get(agent.id)
    },

    /** It stays in the history of the deployments that it carried out. */
    async delete(id: number): Promise<void> {
      const deleted = await rows().where({ id }).update({ deletedAt: db.fn.now() })
      if (deleted === 0) throw notFound()
    },

    /** How many of a workspace there are; the workspace must be held. */
    async count(workspaceId: number, kind: AgentKind): Promise<number> {
      const row = await rows().where({ workspaceId, kind }).count({ count: '*' }).first()
      return Number(row?.count ?? 0)
    },

    /** Its row stays locked, so that two agents that are made at once count each other. */
    async holdWorkspace(workspaceId: number): Promise<void> {
      const row = await db('workspaces')
        .where({ organizationId, id: workspaceId })
        .forNoKeyUpdate()
        .first('id')
      if (!row) throw notFound()
    },
  }
}

async function refuseTakenName<T>(
  tenant: Tenant,
  { workspaceId, kind, name }: Named,
  write: (savepoint: Db) => Promise<T>,
): Promise<T> {
  const { db, organizationId } = unwrap(tenant)
  try {
    return await db.transaction(write)
  } catch (error) {
    if (!isUniqueViolation(error, 'agents_name')) throw error
    const taken = await db('agents')
      .where({ organizationId, workspaceId, kind })
      .whereNull('deletedAt')
      .whereRaw('lower(name) = lower(?)', [name])
      .first('id')
    throw conflict('name_taken', `This workspace has an agent ${name} already.`, taken?.id)
  }
}
