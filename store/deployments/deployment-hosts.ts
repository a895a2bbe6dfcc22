import type { DeployHost, HostState } from '../../domain/pipelines/deployment.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { fitsLabels } from '../fits-labels.ts'

export type HostAction = 'deploy' | 'install' | 'activate' | 'rollback' | 'verify'

export type HostOfDeployment = DeployHost & { name: string; wanted: HostAction | null }

export type ListedHost = {
  agentId: number
  name: string
  state: HostState
  position: number
  batch: number | null
  afterDigest: string | null
  afterRunId: number | null
  hooks: unknown
  message: string | null
  startedAt: Date | null
  endedAt: Date | null
}

export type HostCounts = {
  pipelineRunId: number
  state: HostState
  count: number
}

/** After this time without a word of it, an agent is offline. */
export const onlineSeconds = 60

/** SQL: the host has the labels that the release is for which the action brings: a rollback brings the earlier one. */
const hasLabels = (wanted: HostAction): string => `exists (select from agents a
  join deployments d on d.organization_id = a.organization_id
    and d.pipeline_run_id = deployment_hosts.pipeline_run_id
  join deployments b on b.organization_id = d.organization_id
    and b.pipeline_run_id = d.${wanted === 'rollback' ? 'earlier_run_id' : 'pipeline_run_id'}
  where a.organization_id = deployment_hosts.organization_id and a.id = deployment_hosts.agent_id
    and ${fitsLabels('b')})`

/**
 * The hosts of a deployment. Whoever deploys writes here which action each is to do; the agent's side
 * claims it, and writes what came of it. Every write names the state that it leaves.
 */
export function deploymentHosts(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = (pipelineRunId: number) =>
    db('deployment_hosts').where({ organizationId, pipelineRunId })
  const notify = async (agentIds: readonly number[]): Promise<void> => {
    if (agentIds.length > 0)
      await db.raw(
        `select pg_notify('cc_agent', id::text) from unnest(?::integer[]) as agent (id)`,
        [[...agentIds]],
      )
  }
  return {
    async list(pipelineRunId: number): Promise<HostOfDeployment[]> {
      const { rows: found } = await db.raw(
        `select h.agent_id as id, a.name, h.state, h.batch, h.runs_new as "runsNew", h.wanted,
           floor(extract(epoch from h.ended_at) * 1000)::float8 as "endedAtMs",
           h.was_online_lately as "wasOnlineLately"
         from deployment_hosts h
           join agents a on a.organization_id = h.organization_id and a.id = h.agent_id
         where h.organization_id = ? and h.pipeline_run_id = ? order by h.position`,
        [organizationId, pipelineRunId],
      )
      return found
    },

    /**
     * The agents of the workspace that have these labels. Those that are online now are to be updated,
     * those that were left on a failed release first; the others are out of reach. An agent that never
     * called is no host yet. Hosts that are there already stay as they are.
     */
    async add(
      pipelineRunId: number,
      { workspaceId, labels }: { workspaceId: number; labels: Readonly<Record<string, string>> },
    ): Promise<number> {
      const { rows: added } = await db.raw(
        `with found as (
           select a.id, a.release_digest, a.release_run_id,
             a.last_seen_at > now() - make_interval(secs => :onlineSeconds)
               and not a.paused and not a.outdated as online,
             a.last_seen_at > now() - interval '24 hours' and not a.paused and not a.outdated as lately,
             exists (select from deployment_hosts s join deployments d on d.organization_id = s.organization_id
                 and d.pipeline_run_id = s.pipeline_run_id
               where s.organization_id = a.organization_id and s.agent_id = a.id and s.runs_new
                 and d.outcome = 'failed'
                 and s.pipeline_run_id = (select max(l.pipeline_run_id) from deployment_hosts l
                   where l.organization_id = a.organization_id and l.agent_id = a.id
                     and l.pipeline_run_id <> :pipelineRunId)) as mixed
           from agents a
           where a.organization_id = :organizationId and a.workspace_id = :workspaceId and a.kind = 'host'
             and a.deleted_at is null and a.last_seen_at is not null and a.labels @> :labels::jsonb)
         insert into deployment_hosts (pipeline_run_id, agent_id, organization_id, position, state,
           was_online_lately, before_digest, before_run_id)
         select :pipelineRunId, id, :organizationId,
           -- After those that are there already.
           (select coalesce(max(t.position), 0) from deployment_hosts t
             where t.organization_id = :organizationId and t.pipeline_run_id = :pipelineRunId)
             + row_number() over (order by mixed desc, id),
           case when online then 'pending' else 'unreachable' end, lately, release_digest, release_run_id
         from found
         on conflict (pipeline_run_id, agent_id) do nothing
         returning state`,
        {
          organizationId,
          pipelineRunId,
          workspaceId,
          labels: JSON.stringify(labels),
          onlineSeconds,
        },
      )
      return added.filter(({ state }: { state: HostState }) => state === 'pending').length
    },

    /** While there is no host to begin with: those of them that are online by now are to be updated. */
    async noteOnline(pipelineRunId: number): Promise<number> {
      const { rows: back } = await db.raw(
        `update deployment_hosts h set state = 'pending', was_online_lately = true
         from agents a, deployments d
         where h.organization_id = ? and h.pipeline_run_id = ? and h.state = 'unreachable'
           and h.batch is null and h.wanted is null
           and d.organization_id = h.organization_id and d.pipeline_run_id = h.pipeline_run_id
           and a.organization_id = h.organization_id and a.id = h.agent_id and a.deleted_at is null
           and not a.paused and not a.outdated and ${fitsLabels('d')}
           and a.last_seen_at > now() - make_interval(secs => ?)
         returning h.agent_id`,
        [organizationId, pipelineRunId, onlineSeconds],
      )
      return back.length
    },

    /** What these hosts are to do now, of those that are as they were when it was decided and have the labels. */
    async want(
      pipelineRunId: number,
      agentIds: readonly number[],
      change: { from: readonly HostState[]; to: HostState; wanted: HostAction; batch?: number },
    ): Promise<number[]> {
      const wanted = await rows(pipelineRunId)
        .whereIn('agentId', [...agentIds])
        .whereIn('state', [...change.from])
        .whereNull('wanted')
        .whereRaw(hasLabels(change.wanted))
        .update({
          state: change.to,
          wanted: change.wanted,
          wantedAt: db.fn.now(),
          ...(change.batch !== undefined && { batch: change.batch }),
          claimedAt: null,
          leaseUntil: null,
          leasesLost: 0,
          stopRequestedAt: null,
          startedAt: db.raw('coalesce(started_at, now())'),
          endedAt: null,
        })
        .returning('agentId')
      const ids = wanted.map(({ agentId }: { agentId: number }) => agentId)
      await notify(ids)
      return ids
    },

    /** Ends what these hosts do: one that has not begun is as before, the others are told by their agent's heartbeat. */
    async stop(pipelineRunId: number, agentIds: readonly number[]): Promise<void> {
      const busy = () =>
        rows(pipelineRunId)
          .whereIn('agentId', [...agentIds])
          .whereNotNull('wanted')
      await busy()
        .whereNull('claimedAt')
        .where({ state: 'updating' })
        .update({
          state: db.raw(`case wanted when 'activate' then 'staged' else 'pending' end`),
          batch: db.raw(`case wanted when 'activate' then batch end`),
          wanted: null,
          wantedAt: null,
          fence: db.raw('fence + 1'),
        })
      await busy()
        .whereNull('claimedAt')
        .where({ state: 'rolling_back' })
        .update({
          state: 'stuck',
          wanted: null,
          wantedAt: null,
          endedAt: db.fn.now(),
          fence: db.raw('fence + 1'),
        })
      await busy().whereNull('stopRequestedAt').update({ stopRequestedAt: db.fn.now() })
      await notify(agentIds)
    },

    /**
     * Gives up hosts that are busy and were not heard of for two minutes, did not begin in ten, or took
     * longer than their hooks may. What they send later is refused, by their fencing number.
     */
    async giveUpLost(
      pipelineRunId: number,
      { limitSeconds }: { limitSeconds: number },
    ): Promise<Array<{ name: string; state: HostState }>> {
      const { rows: lost } = await db.raw(
        `update deployment_hosts h
         set state = case h.state when 'updating' then 'unreachable' else 'stuck' end,
           wanted = null, lease_until = null, fence = h.fence + 1, ended_at = now(),
           message = coalesce(h.message, 'The agent was not heard of in time.')
         from agents a
         where h.organization_id = :organizationId and h.pipeline_run_id = :pipelineRunId
           and h.state in ('updating', 'rolling_back') and h.wanted is not null
           and a.organization_id = h.organization_id and a.id = h.agent_id
           and (a.deleted_at is not null
             or greatest(coalesce(a.last_seen_at, '-infinity'), h.wanted_at) < now() - interval '2 minutes'
             or (h.claimed_at is null and h.wanted_at < now() - interval '10 minutes')
             or h.claimed_at < now() - make_interval(secs => :limitSeconds))
         returning a.name, h.state`,
        { organizationId, pipelineRunId, limitSeconds },
      )
      return lost
    },

    /** The deployment is over: nothing more is wanted of its hosts, and a late result is refused. */
    async release(pipelineRunId: number): Promise<void> {
      await rows(pipelineRunId)
        .whereNotNull('wanted')
        .update({
          wanted: null,
          leaseUntil: null,
          fence: db.raw('fence + 1'),
          state: db.raw(
            `case state when 'updating' then 'failed' when 'rolling_back' then 'stuck' else state end`,
          ),
          endedAt: db.fn.now(),
        })
    },

    /** A newer deployment to these hosts begins: what was left to do of older ones is not done any more. */
    async forgetOlder(pipelineId: number, workspaceId: number): Promise<void> {
      await db.raw(
        `update deployment_hosts h set wanted = null, lease_until = null, fence = h.fence + 1
         from deployments d
         where h.organization_id = ? and h.wanted is not null and d.organization_id = h.organization_id
           and d.pipeline_run_id = h.pipeline_run_id and d.pipeline_id = ? and d.workspace_id = ?
           and d.ended_at is not null`,
        [organizationId, pipelineId, workspaceId],
      )
    },

    /** How many hosts of each deployment are in each state. */
    async counts(pipelineRunIds: readonly number[]): Promise<HostCounts[]> {
      if (pipelineRunIds.length === 0) return []
      const { rows: counted } = await db.raw(
        `select pipeline_run_id as "pipelineRunId", state, count(*)::integer as count
         from deployment_hosts where organization_id = ? and pipeline_run_id = any(?::integer[])
         group by pipeline_run_id, state`,
        [organizationId, [...pipelineRunIds]],
      )
      return counted
    },

    /** By position; those that keep a failed release first. */
    async page(
      pipelineRunId: number,
      { after, limit }: { after: number; limit: number },
    ): Promise<ListedHost[]> {
      const { rows: found } = await db.raw(
        `select h.agent_id as "agentId", a.name, h.state, h.position, h.batch,
           h.after_digest as "afterDigest", h.after_run_id as "afterRunId", h.hooks, h.message,
           h.started_at as "startedAt", h.ended_at as "endedAt"
         from deployment_hosts h
           join agents a on a.organization_id = h.organization_id and a.id = h.agent_id
         where h.organization_id = ? and h.pipeline_run_id = ? and h.position > ?
         order by h.position limit ?`,
        [organizationId, pipelineRunId, after, limit],
      )
      return found
    },
  }
}
