import { leaseSeconds, maxLostLeases, silentSeconds } from '../../domain/agents/agent-limits.ts'
import type { HostAction } from '../../domain/agents/state-after.ts'
import type { HostState } from '../../domain/pipelines/deployment.ts'
import type { Store } from '../driver/connect.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { fitsLabels } from '../fits-labels.ts'

/** What an agent is to do, with the lease that it may hold. */
export type HostWork = {
  deploymentId: number
  agentId: number
  agentName: string
  action: HostAction
  state: HostState
  fence: number
  /** A lease on it was held, and is not over. */
  isLeased: boolean
  leasesLost: number
  isStopping: boolean
  beforeDigest: string | null
  ownDigest: string
  earlierRunId: number | null
  /** What the agent says that it runs. */
  runs: { digest: string | null; runId: number | null }
  resultFence: number | null
  resultHash: Buffer | null
  isOver: boolean
  /** The agent has the labels that the release is for; of a rollback, the earlier one. */
  fits: boolean
}

/** What a host is to do, if anything. */
export type HostPart = Omit<HostWork, 'action'> & { action: HostAction | null }

export type Prospect = {
  /** Something may be claimed after so many seconds; null: there is nothing. */
  inSeconds: number | null
  /** It was offline in a deployment, and has not caught up. */
  isBehind: boolean
}

/** The claim of an agent that ended: by its own word, or because it was silent. */
export type Held = { deploymentId: number; fence: number }

const freeSeconds = leaseSeconds - silentSeconds

/** Whether a claim is worth a transaction: asked by every open claim, so it is one read in one round trip. */
export async function prospectOf(
  store: Pick<Store, 'read'>,
  { organizationId, agentId }: { organizationId: number; agentId: number },
  held: Held | undefined,
): Promise<Prospect> {
  const [row] = await store.read<Prospect>(organizationId, {
    name: 'prospect-of-agent',
    text: `select min(case
          -- Nothing to do: the outer join made this row.
          when h.agent_id is null then null
          when h.lease_until is null or (h.pipeline_run_id = $3::integer and h.fence = $4::integer) then 0
          else greatest(0, extract(epoch from h.lease_until - now()) - ${freeSeconds}) end)::float8 as "inSeconds",
        exists (select from deployment_hosts b where b.agent_id = $2::integer
          and b.organization_id = $1::integer and b.state = 'unreachable' and b.caught_up_at is null)
          and not bool_or(a.paused) as "isBehind"
      from agents a left join deployment_hosts h on h.organization_id = a.organization_id
        and h.agent_id = a.id and h.wanted is not null and h.stop_requested_at is null
        and (not a.paused or h.claimed_at is not null)
      where a.organization_id = $1::integer and a.id = $2::integer and a.deleted_at is null`,
    values: [organizationId, agentId, held?.deploymentId ?? null, held?.fence ?? null],
  })
  return row ?? { inSeconds: null, isBehind: false }
}

const columns = `h.pipeline_run_id as "deploymentId", h.agent_id as "agentId", a.name as "agentName",
  h.wanted as action, h.state, h.fence, coalesce(h.lease_until > now(), false) as "isLeased",
  h.leases_lost as "leasesLost", h.stop_requested_at is not null as "isStopping",
  h.before_digest as "beforeDigest", f.digest as "ownDigest", d.earlier_run_id as "earlierRunId",
  json_build_object('digest', a.release_digest, 'runId', a.release_run_id) as runs,
  h.result_fence as "resultFence", h.result_hash as "resultHash", d.ended_at is not null as "isOver",
  coalesce((select ${fitsLabels('b')} from deployments b where b.organization_id = d.organization_id
    and b.pipeline_run_id = case h.wanted when 'rollback' then d.earlier_run_id else d.pipeline_run_id end),
    false) as fits`

const tables = `deployment_hosts h
  join agents a on a.organization_id = h.organization_id and a.id = h.agent_id
  join deployments d on d.organization_id = h.organization_id and d.pipeline_run_id = h.pipeline_run_id
  join artifacts f on f.organization_id = d.organization_id and f.pipeline_run_id = d.artifact_run_id`

/** What hosts are to do, and what came of it. Every write names the fencing number that it holds. */
export function hostWork(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const row = (deploymentId: number, agentId: number) =>
    db('deployment_hosts').where({ organizationId, pipelineRunId: deploymentId, agentId })

  return {
    /**
     * What the agent may claim now, oldest deployment first; the row stays locked. A row that another claim
     * of the same agent has locked is left to it.
     */
    async nextForUpdate(agentId: number, held: Held | undefined): Promise<HostWork | undefined> {
      const { rows } = await db.raw(
        `select ${columns} from ${tables}
         where h.organization_id = :organizationId and h.agent_id = :agentId and h.wanted is not null
           and h.stop_requested_at is null and a.deleted_at is null
           and (not a.paused or h.claimed_at is not null)
           and (h.lease_until is null or h.lease_until < now() + interval '${freeSeconds} seconds'
             or (h.pipeline_run_id = :heldId::integer and h.fence = :heldFence::integer))
         order by h.pipeline_run_id limit 1 for update of h skip locked`,
        {
          organizationId,
          agentId,
          heldId: held?.deploymentId ?? null,
          heldFence: held?.fence ?? null,
        },
      )
      return rows[0]
    },

    /** The host's part in a deployment; the row stays locked. */
    findForUpdate: async (deploymentId: number, agentId: number) =>
      findPart(tenant, { deploymentId, agentId }, 'for update of h'),

    find: async (deploymentId: number, agentId: number) =>
      findPart(tenant, { deploymentId, agentId }),

    /** A lease under the next fencing number: what an earlier claim sends is refused from here on. */
    async lease({ deploymentId, agentId, isLeased }: HostWork): Promise<{
      fence: number
      leaseUntil: Date
    }> {
      const [leased] = await row(deploymentId, agentId)
        .update({
          fence: db.raw('fence + 1'),
          leaseUntil: db.raw('now() + make_interval(secs => ?)', [leaseSeconds]),
          leasesLost: db.raw('leases_lost + ?', [isLeased ? 1 : 0]),
          message: db.raw('case when claimed_at is null then null else message end'),
          claimedAt: db.raw('coalesce(claimed_at, now())'),
          startedAt: db.raw('coalesce(started_at, now())'),
        })
        .returning(['fence', 'leaseUntil'])
      return leased
    },
  }
}

async function findPart(
  tenant: Tenant,
  { deploymentId, agentId }: { deploymentId: number; agentId: number },
  lock: '' | 'for update of h' = '',
): Promise<HostPart | undefined> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select ${columns} from ${tables}
     where h.organization_id = ? and h.pipeline_run_id = ? and h.agent_id = ? ${lock}`,
    [organizationId, deploymentId, agentId],
  )
  return rows[0]
}

/** An agent that dies in one action again and again is given it no more. */
export const isExhausted = ({
  leasesLost,
  isLeased,
}: Pick<HostWork, 'leasesLost' | 'isLeased'>): boolean =>
  leasesLost + (isLeased ? 1 : 0) >= maxLostLeases
