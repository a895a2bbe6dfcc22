import { unwrap, type Tenant } from '../driver/tenant.ts'
import { fitsLabels } from '../fits-labels.ts'

/** SQL: a host `h` whose batch has not begun is lost in the newest batch of the deployment `d`, if one has begun. */
const batchOfLost = `case h.state when 'pending' then nullif(d.batch, 0) else h.batch end`

/**
 * Hosts whose agents do not have the labels that a release is for, because somebody changed the labels or another
 * machine took the name over. Hooks are given the release's variables, so these hosts must not have it.
 */
export function unfitHosts(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  return {
    /** Takes those out of the deployment that have not begun, as a lost host is. Answers their names. */
    async leave(pipelineRunId: number): Promise<string[]> {
      const { rows } = await db.raw(
        `update deployment_hosts h set state = 'unreachable', batch = ${batchOfLost}, wanted = null,
           lease_until = null, fence = h.fence + 1, ended_at = now(),
           message = coalesce(h.message, 'The agent does not have the labels of this release any more.')
         from deployments d, agents a
         where h.organization_id = ? and h.pipeline_run_id = ?
           and (h.state in ('pending', 'staged') or (h.state = 'updating' and h.claimed_at is null))
           and d.organization_id = h.organization_id and d.pipeline_run_id = h.pipeline_run_id
           and a.organization_id = h.organization_id and a.id = h.agent_id and not ${fitsLabels('d')}
         returning a.name`,
        [organizationId, pipelineRunId],
      )
      return rows.map(({ name }: { name: string }) => name)
    },

    /**
     * Those of these hosts that are not to have the earlier release stay as they are: it would be unpacked and its
     * hooks run where nobody wanted it. Answers their ids.
     */
    async keepRelease(pipelineRunId: number, agentIds: readonly number[]): Promise<number[]> {
      const { rows } = await db.raw(
        `update deployment_hosts h set state = 'stuck', ended_at = now(),
           message = coalesce(h.message, 'The earlier release is for hosts with other labels.')
         from deployments d, deployments b, agents a
         where h.organization_id = ? and h.pipeline_run_id = ? and h.agent_id = any(?::integer[])
           and h.wanted is null and h.state in ('healthy', 'failed', 'staged', 'unreachable')
           and d.organization_id = h.organization_id and d.pipeline_run_id = h.pipeline_run_id
           and b.organization_id = d.organization_id and b.pipeline_run_id = d.earlier_run_id
           and a.organization_id = h.organization_id and a.id = h.agent_id and not ${fitsLabels('b')}
         returning h.agent_id as id`,
        [organizationId, pipelineRunId, [...agentIds]],
      )
      return rows.map(({ id }: { id: number }) => id)
    },
  }
}

/**
 * Another machine takes the name over, with these labels. It is none of the deployments under way that are for
 * others, and has nothing that it could go back from.
 */
export async function leaveLiveDeployments(
  tenant: Tenant,
  agentId: number,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await db.raw(
    `update deployment_hosts h set wanted = null, lease_until = null, fence = h.fence + 1,
       runs_new = false, batch = ${batchOfLost},
       state = case when h.state in ('pending', 'updating', 'staged') then 'unreachable'
         when h.state = 'rolling_back' then 'stuck' else h.state end,
       ended_at = case when h.state in ('pending', 'updating', 'staged', 'rolling_back') then now()
         else h.ended_at end
     from deployments d, agents a
     where h.organization_id = :organizationId and h.agent_id = :agentId
       and d.organization_id = h.organization_id and d.pipeline_run_id = h.pipeline_run_id
       and d.ended_at is null and a.organization_id = h.organization_id and a.id = h.agent_id
       and case when d.labels is null then a.labels <> :labels::jsonb
         else not :labels::jsonb @> d.labels end`,
    { organizationId, agentId, labels: JSON.stringify(labels) },
  )
}
