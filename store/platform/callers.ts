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

/**
 * Resolves a credential to its caller, with one statement a request. Each statement looks for the credential by its
 * hash alone and then for each other row by its primary key alone (`offset 0` keeps other conditions out). A plan that
 * PostgreSQL made of tables without statistics otherwise takes an index on the organization: it reads each run once
 * for each workspace to recognize one token.
 */
export function callers(store: Pick<Store, 'lookUp' | 'platform'>) {
  const db = store.platform
  return {
    /** Sessions end 12 h after their last use and 7 d after their start. */
    async bySession(hash: Buffer): Promise<CallerRow | undefined> {
      const rows = await store.lookUp<CallerRow>({
        name: 'caller-session',
        text: `with s as materialized (
           select id, organization_id, user_id, kind, role_ceiling, expires_at, last_seen_at from sessions
           where token_hash = $1 and revoked_at is null and expires_at > now()
             and last_seen_at > now() - interval '12 hours')
         select s.id as "credentialId", s.role_ceiling as ceiling, ${person},
           least(s.expires_at, s.last_seen_at + interval '12 hours') as "expiresAt",
           s.last_seen_at < now() - interval '1 minute' as stale,
           s.kind <> 'password' and u.password_hash is not null as "credentialsLocked"
         from s
           cross join lateral (select * from users where id = s.user_id offset 0) u
           join organizations o on o.id = s.organization_id
         where u.organization_id = s.organization_id
           and u.active and u.deprovisioned_at is null and o.status = 'active'`,
        values: [hash],
      })
      return rows[0]
    },

    async byToken(hash: Buffer): Promise<CallerRow | undefined> {
      const rows = await store.lookUp<CallerRow>({
        name: 'caller-token',
        text: `with t as materialized (
           select id, organization_id, user_id, role, expires_at, last_used_at from tokens
           where hash = $1 and kind = 'pat' and revoked_at is null and expires_at > now())
         select t.id as "credentialId", t.role as ceiling, ${person}, t.expires_at as "expiresAt",
           coalesce(t.last_used_at < now() - interval '1 minute', true) as stale,
           true as "credentialsLocked"
         from t
           cross join lateral (select * from users where id = t.user_id offset 0) u
           join organizations o on o.id = t.organization_id
         where u.organization_id = t.organization_id
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
        text: `with t as materialized (
           select id, organization_id, workspace_run_id, run_phase, fence, revoked_at, expires_at from tokens
           where hash = $1 and kind = 'run' and created_at > now() - interval '7 days')
         select t.id as "tokenId", t.organization_id as "organizationId", r.workspace_id as "workspaceId",
           r.id as "workspaceRunId", t.run_phase as phase, t.fence,
           (t.revoked_at is null and t.expires_at > now()
             and case t.run_phase when 'plan' then r.phase = 'planning'
                 else r.phase = 'applying' and w.fence = t.fence end) as current
         from t
           cross join lateral (select * from workspace_runs where id = t.workspace_run_id offset 0) r
           cross join lateral (select * from workspaces where id = r.workspace_id offset 0) w
         where r.organization_id = t.organization_id and w.organization_id = t.organization_id`,
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
        text: `with t as materialized (
           select id, organization_id, name, last_used_at from tokens
           where hash = $1 and kind = 'scim' and revoked_at is null
             and (expires_at is null or expires_at > now()))
         select t.id as "tokenId", t.name as "tokenName", o.id as "organizationId",
           coalesce(t.last_used_at < now() - interval '1 minute', true) as stale
         from t join organizations o on o.id = t.organization_id
         where o.status = 'active'`,
        values: [hash],
      })
      return rows[0]
    },

    /**
     * An agent's token belongs to one host of one workspace, or only enrolls hosts. That of a suspended
     * organization is known, so that its agents are told why they get no work.
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
           cross join lateral (select * from agents where id = t.agent_id offset 0) a
           join organizations o on o.id = t.organization_id
         where a.organization_id = t.organization_id and a.deleted_at is null`,
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
