import { unwrap, type Tenant } from '../driver/tenant.ts'
import { latestFirst } from '../latest-first.ts'
import type { AgentLabels } from './agents.ts'

export type HostBehind = {
  pipelineId: number
  /** The latest deployment of the pipeline that went well; null: none did. */
  currentRunId: number | null
  /** The host has its release already. */
  isCurrent: boolean
  /** Of the host, as they are now. */
  labels: AgentLabels
  /** Those that a host of that deployment must have; null where it began before they were stored with it. */
  currentLabels: AgentLabels | null
}

/** Hosts that were offline when a deployment changed the others. */
export function hostsBehind(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return {
    /** Of pipelines that deploy nothing now. */
    async ofAgent(agentId: number): Promise<HostBehind[]> {
      const { rows } = await db.raw(selectBehind, { organizationId, agentId })
      return rows
    },

    /** Compare-and-swap: true for the claim that settles it. */
    async settle(agentId: number, pipelineId: number): Promise<boolean> {
      const { rowCount } = await db.raw(
        `update deployment_hosts h set caught_up_at = now() from deployments d
         where h.organization_id = ? and h.agent_id = ? and h.state = 'unreachable'
           and h.caught_up_at is null and d.organization_id = h.organization_id
           and d.pipeline_run_id = h.pipeline_run_id and d.pipeline_id = ?`,
        [organizationId, agentId, pipelineId],
      )
      return rowCount > 0
    },

    /** The host is one of that deployment's, whether or not it was then. */
    async wantCurrent(agentId: number, runId: number): Promise<void> {
      await db.raw(
        `insert into deployment_hosts as h (pipeline_run_id, agent_id, organization_id, position, state,
           wanted, wanted_at, before_digest, before_run_id)
         select ?, a.id, a.organization_id, coalesce((select max(o.position) + 1 from deployment_hosts o
             where o.organization_id = a.organization_id and o.pipeline_run_id = ?), 1),
           'updating', 'deploy', now(), a.release_digest, a.release_run_id
         from agents a where a.organization_id = ? and a.id = ?
         on conflict (pipeline_run_id, agent_id) do update set state = 'updating', wanted = 'deploy',
           wanted_at = now(), claimed_at = null, leases_lost = 0, stop_requested_at = null,
           before_digest = excluded.before_digest, before_run_id = excluded.before_run_id
         where h.wanted is null`,
        [runId, runId, organizationId, agentId],
      )
    },
  }
}

const selectBehind = `
  select b.pipeline_id as "pipelineId", c.pipeline_run_id as "currentRunId",
   coalesce(c.digest = a.release_digest, false) as "isCurrent", a.labels,
   c.labels as "currentLabels"
 from (select distinct d.pipeline_id, d.workspace_id
     from deployment_hosts h join deployments d on d.organization_id = h.organization_id
       and d.pipeline_run_id = h.pipeline_run_id
     where h.organization_id = :organizationId and h.agent_id = :agentId
       and h.state = 'unreachable' and h.caught_up_at is null
       and not exists (select from deployments live where live.organization_id = d.organization_id
         and live.pipeline_id = d.pipeline_id and live.ended_at is null)) as b
   join agents a on a.organization_id = :organizationId and a.id = :agentId
   left join lateral (
     -- What a run of the workspace deployed is nothing for a host.
     select case when d.via = 'agents' then d.pipeline_run_id end as pipeline_run_id, d.labels, f.digest
     from deployments d
       join artifacts f on f.organization_id = d.organization_id
         and f.pipeline_run_id = d.artifact_run_id
     where d.organization_id = :organizationId and d.pipeline_id = b.pipeline_id
       and d.workspace_id = b.workspace_id and d.outcome = 'succeeded'
     order by ${latestFirst('d')} limit 1) as c on true
 order by b.pipeline_id`
