import type { Role } from '../../domain/access/roles.ts'
import type { RunCaller } from '../../domain/access/caller.ts'
import type { AgentCaller } from '../../domain/agents/agent-caller.ts'
import type { Store } from '../driver/connect.ts'

export type CallerRow = {
  credentialId: number
  organizationId: number
  organizationSlug: string
  organizationName: string
  organizationStatus: 'active' | 'suspended'
  userId: number
  email: string | null
  name: string
  role: Role
  ceiling: Role | null
  platformAdmin: boolean
  mfaEnabled: boolean
  expiresAt: Date | null
  stale: boolean
  /** True for an identity provider's session of an account with a password: it may change no credential. */
  credentialsLocked: boolean
}

type ScimCallerRow = {
  tokenId: number
  tokenName: string
  organizationId: number
  stale: boolean
}

const person = `
  o.id as "organizationId", o.slug as "organizationSlug", o.name as "organizationName",
  o.status as "organizationStatus", u.id as "userId", u.email, u.name, u.platform_admin as "platformAdmin",
  u.mfa_enabled as "mfaEnabled",
  coalesce((select max(g.role) from role_grants g where g.organization_id = u.organization_id and g.user_id = u.id), 'Viewer') as role`

type AgentCallerRow = Omit<AgentCaller, 'ip' | 'requestId'> & { stale: boolean }

/** Resolves a credential to its caller, with one statement a request. */
export function callers(store: Pick<Store, 'lookUp' | 'platform'>) {
  const db = store.platform
  return {
    /** Sessions end 12 h after their last use and 7 d after their start. */
    async bySession(hash: Buffer): Promise<CallerRow | undefined> {
      const rows = await store.lookUp<CallerRow>({
        name: 'caller-session',
        text: `select s.id as "credentialId", s.role_ceiling as ceiling, ${person},
           least(s.expires_at, s.last_seen_at + interval '12 hours') as "expiresAt",
           s.last_seen_at < now() - interval '1 minute' as stale,
           s.kind <> 'password' and u.password_hash is not null as "credentialsLocked"
         from sessions s
           join users u on u.organization_id = s.organization_id and u.id = s.user_id
           join organizations o on o.id = s.organization_id
         where s.token_hash = $1 and s.revoked_at is null and s.expires_at > now()
           and s.last_seen_at > now() - interval '12 hours'
           and u.active and u.deprovisioned_at is null and o.status = 'active'`,
        values: [hash],
      })
      return rows[0]
    },

    async byToken(hash: Buffer): Promise<CallerRow | undefined> {
      const rows = await store.lookUp<CallerRow>({
        name: 'caller-token',
        text: `select t.id as "credentialId", t.role as ceiling, ${person}, t.expires_at as "expiresAt",
           coalesce(t.last_used_at < now() - interval '1 minute', true) as stale,
           true as "credentialsLocked"
         from tokens t
           join users u on u.organization_id = t.organization_id and u.id = t.user_id
           join organizations o on o.id = t.organization_id
         where t.hash = $1 and t.kind = 'pat' and t.revoked_at is null and t.expires_at > now()
           and u.active and u.deprovisioned_at is null and o.status = 'active'`,
        values: [hash],
      })
      return rows[0]
    },

    /**
     * A run's token covers one phase under one fencing number. After that it is still recognized, as
     * not current, so that a late state write is quarantined and not lost. An apply under way in a
     * suspended organization may still save its state.
     */
    async byRunToken(hash: Buffer): Promise<RunCaller | undefined> {
      const rows = await store.lookUp<RunCaller>({
        name: 'caller-runtoken',
        text: `select t.id as "tokenId", t.organization_id as "organizationId", r.workspace_id as "workspaceId",
           r.id as "workspaceRunId", t.run_phase as phase, t.fence,
           (t.revoked_at is null and t.expires_at > now()
             and case t.run_phase when 'plan' then r.phase = 'planning'
                 else r.phase = 'applying' and w.fence = t.fence end) as current
         from tokens t
           join workspace_runs r on r.organization_id = t.organization_id and r.id = t.workspace_run_id
           join workspaces w on w.organization_id = r.organization_id and w.id = r.workspace_id
         where t.hash = $1 and t.kind = 'run' and t.created_at > now() - interval '7 days'`,
        values: [hash],
      })
      return rows[0]
    },

    /** Which of these credentials are still valid: for streams that stay open. */
    async liveAmong(
      asked: ReadonlyArray<{ kind: 'session' | 'token'; credentialId: number }>,
    ): Promise<Set<string>> {
      const live = new Set<string>()
      for (const kind of ['session', 'token'] as const) {
        const ids = new Set(asked.flatMap((one) => (one.kind === kind ? [one.credentialId] : [])))
        if (ids.size === 0) continue
        const [table, used] =
          kind === 'session'
            ? ['sessions', `and c.last_seen_at > now() - interval '12 hours'`]
            : ['tokens', '']
        const { rows } = await db.raw(
          `select c.id from ${table} c
             join users u on u.organization_id = c.organization_id and u.id = c.user_id
             join organizations o on o.id = c.organization_id
           where c.id = any(?) and c.revoked_at is null and c.expires_at > now() ${used}
             and u.active and u.deprovisioned_at is null and o.status = 'active'`,
          [[...ids]],
        )
        for (const { id } of rows) live.add(`${kind} ${id}`)
      }
      return live
    },

    /** A SCIM token belongs to the organization, not to the person who made it. */
    async byScimToken(hash: Buffer): Promise<ScimCallerRow | undefined> {
      const rows = await store.lookUp<ScimCallerRow>({
        name: 'caller-scim',
        text: `select t.id as "tokenId", t.name as "tokenName", o.id as "organizationId",
           coalesce(t.last_used_at < now() - interval '1 minute', true) as stale
         from tokens t join organizations o on o.id = t.organization_id
         where t.hash = $1 and t.kind = 'scim' and t.revoked_at is null
           and (t.expires_at is null or t.expires_at > now()) and o.status = 'active'`,
        values: [hash],
      })
      return rows[0]
    },

    /**
     * An agent's token belongs to one host of one workspace, or only enrolls hosts. That of a suspended
     * organization is known, so that its agents are told why they get no work. The token is looked for first: a plan
     * that was made while both tables were empty compared each token with each agent, 60 ms for 1,000 of them.
     */
    async byAgentToken(hash: Buffer): Promise<AgentCallerRow | undefined> {
      const rows = await store.lookUp<AgentCallerRow>({
        name: 'caller-agent',
        text: `with t as materialized (
           select id, organization_id, agent_id, last_used_at from tokens
           where hash = $1 and kind = 'agt' and revoked_at is null
             and (expires_at is null or expires_at > now()))
         select t.id as "tokenId", a.id as "agentId", a.organization_id as "organizationId",
           o.slug as "organizationSlug", o.status as "organizationStatus",
           a.workspace_id as "workspaceId", a.name, a.kind,
           coalesce(t.last_used_at < now() - interval '1 minute', true) as stale
         from t
           join agents a on a.organization_id = t.organization_id and a.id = t.agent_id
           join organizations o on o.id = t.organization_id
         where a.deleted_at is null`,
        values: [hash],
      })
      return rows[0]
    },

    async touchSession(id: number): Promise<void> {
      await db('sessions').where({ id }).update({ lastSeenAt: db.fn.now() })
    },

    async touchToken(id: number): Promise<void> {
      await db('tokens').where({ id }).update({ lastUsedAt: db.fn.now() })
    },
  }
}
