import { leaseSeconds } from '../../domain/agents/agent-limits.ts'
import type { RunningRelease } from '../../domain/agents/state-after.ts'
import type { Store } from '../driver/connect.ts'
import { namedRelease } from './named-release.ts'

export type AgentFacts = {
  version: string | null
  os: string | null
  arch: string | null
  protocol: number
  /** Undefined: it does not say. */
  release: RunningRelease | null | undefined
}

/** What an agent says of itself, in one statement. */
export async function noteFacts(
  store: Pick<Store, 'write'>,
  { organizationId, agentId }: { organizationId: number; agentId: number },
  { version, os, arch, protocol, release }: AgentFacts,
): Promise<{ paused: boolean }> {
  const [row] = await store.write<{ paused: boolean }>(organizationId, {
    name: 'note-agent-facts',
    text: `update agents a set last_seen_at = now(), outdated = false, version = $3, os = $4, arch = $5,
        protocol = $6::integer, release_digest = ${named.digest}, release_run_id = ${named.runId}
      where organization_id = $1::integer and id = $2::integer returning paused`,
    values: [
      organizationId,
      agentId,
      version,
      os,
      arch,
      protocol,
      release?.digest ?? null,
      release?.runId ?? null,
      release !== undefined,
    ],
  })
  return { paused: row?.paused ?? false }
}

const named = namedRelease({ isNamed: '$9::boolean', digest: '$7::text', runId: '$8::integer' })

export type Renewed = { leaseUntil: Date | null; stop: boolean }
export type HookReport = {
  name: string
  state: string
  exitCode: number | null
  durationMs: number | null
}

/**
 * Makes the lease of a claim last again, and notes what a hook came to. Undefined if the host has no part in
 * the deployment. A claim whose lease is over is told to stop.
 */
export async function renewLease(
  store: Pick<Store, 'write'>,
  { organizationId, agentId }: { organizationId: number; agentId: number },
  { deploymentId, fence, hook }: { deploymentId: number; fence: number; hook: HookReport | null },
): Promise<Renewed | undefined> {
  const [row] = await store.write<Renewed>(organizationId, {
    name: 'renew-lease',
    text: `with found as (
        select pipeline_run_id, agent_id from deployment_hosts
        where organization_id = $1::integer and agent_id = $2::integer and pipeline_run_id = $3::integer),
      renewed as (
        update deployment_hosts h
        set lease_until = now() + interval '${leaseSeconds} seconds',
          hooks = case when $5::jsonb is null then h.hooks
            else (select coalesce(jsonb_agg(one), '[]') from jsonb_array_elements(h.hooks) as one
              where one ->> 'name' <> $5::jsonb ->> 'name') || $5::jsonb end
        from found f
        where h.organization_id = $1::integer and h.pipeline_run_id = f.pipeline_run_id
          and h.agent_id = f.agent_id
          and h.fence = $4::integer and h.wanted is not null and h.lease_until > now()
        returning h.lease_until, h.stop_requested_at)
      select r.lease_until as "leaseUntil", (r.lease_until is null or r.stop_requested_at is not null) as stop
      from found left join renewed r on true`,
    values: [
      organizationId,
      agentId,
      deploymentId,
      fence,
      hook === null ? null : JSON.stringify(hook),
    ],
  })
  return row
}
