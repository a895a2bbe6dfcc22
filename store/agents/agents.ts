import { notFound } from '../../domain/errors.ts'
import { offlineSeconds } from '../../domain/agents/agent-limits.ts'
import type { RunningRelease } from '../../domain/agents/state-after.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export const agentStates = ['pending', 'online', 'offline', 'paused', 'outdated'] as const
export type AgentState = (typeof agentStates)[number]
export type AgentKind = 'host' | 'join'
export type AgentLabels = Record<string, string>

export type Agent = {
  id: number
  workspaceId: number
  kind: AgentKind
  name: string
  labels: AgentLabels
  state: AgentState
  version: string | null
  protocol: number | null
  os: string | null
  arch: string | null
  lastSeenAt: Date | null
  release: RunningRelease | null
  /** It has begun something that a deployment asked for. */
  busy: boolean
  /** Of a join. */
  joinMaxAgents: number | null
  joined: number
  joinExpiresAt: Date | null
  createdAt: Date
}

export type AgentFilter = {
  workspaceId?: number | undefined
  state?: AgentState | undefined
  labels?: AgentLabels | undefined
}

const stateSql = `case when a.paused then 'paused' when a.outdated then 'outdated'
  when a.last_seen_at is null then 'pending'
  when a.last_seen_at > now() - interval '${offlineSeconds} seconds' then 'online' else 'offline' end`

const select = `select a.id, a.workspace_id as "workspaceId", a.kind, a.name, a.labels,
    ${stateSql} as state, a.version, a.protocol, a.os, a.arch, a.last_seen_at as "lastSeenAt",
    case when a.release_digest is not null
      then json_build_object('digest', a.release_digest, 'runId', a.release_run_id) end as release,
    exists (select from deployment_hosts h where h.agent_id = a.id and h.wanted is not null
      and h.organization_id = a.organization_id and h.claimed_at is not null) as busy,
    a.join_max_agents as "joinMaxAgents",
    case when a.kind = 'join' then (select count(*)::integer from agents j
      where j.organization_id = a.organization_id and j.join_id = a.id and j.deleted_at is null)
      else 0 end as joined,
    case when a.kind = 'join' then (select max(t.expires_at) from tokens t
      where t.organization_id = a.organization_id and t.agent_id = a.id and t.revoked_at is null)
      end as "joinExpiresAt",
    a.created_at as "createdAt"
  from agents a
  where a.organization_id = :organizationId and a.deleted_at is null`

/** The agents of one organization: hosts, and joins, which enroll hosts. */
export function agents(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async get(id: number): Promise<Agent> {
      const { rows } = await db.raw(`${select} and a.id = :id`, { organizationId, id })
      if (!rows[0]) throw notFound()
      return rows[0]
    },

    /** Locks the row until the transaction ends. */
    async getForUpdate(id: number): Promise<Agent> {
      const row = await db('agents')
        .where({ organizationId, id })
        .whereNull('deletedAt')
        .forUpdate()
        .first('id')
      if (!row) throw notFound()
      return this.get(id)
    },

    /** Newest first. */
    async list(
      { workspaceId, state, labels }: AgentFilter,
      { limit, before }: { limit: number; before: number },
    ): Promise<Agent[]> {
      const { rows } = await db.raw(
        `select * from (${select} and a.id < :before
           and (:workspaceId::integer is null or a.workspace_id = :workspaceId)
           and a.labels @> :labels::jsonb) as a
         where (:state::text is null or a.state = :state) order by a.id desc limit :limit`,
        {
          organizationId,
          before,
          limit,
          workspaceId: workspaceId ?? null,
          state: state ?? null,
          labels: JSON.stringify(labels ?? {}),
        },
      )
      return rows
    },
  }
}
