import type { HostState } from '../../domain/pipelines/deployment.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { HostWork } from './host-work.ts'
import type { HookReport } from './note-heartbeat.ts'

/** How claims and actions of hosts end. */
export function hostEnds(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const row = (deploymentId: number, agentId: number) =>
    db('deployment_hosts').where({ organizationId, pipelineRunId: deploymentId, agentId })

  return {
    /** True for the one that ends it. Its work can be claimed again. */
    async endLease(deploymentId: number, agentId: number): Promise<boolean> {
      const ended = await row(deploymentId, agentId)
        .whereNotNull('wanted')
        .where('leaseUntil', '<', db.fn.now())
        .update({ leaseUntil: null, leasesLost: db.raw('leases_lost + 1') })
      return ended === 1
    },

    /** Nothing more is wanted of the host. A late claim or result of it is refused. */
    async settle(
      { deploymentId, agentId, fence }: HostWork,
      to: {
        state: HostState
        runsNew: boolean
        message: string | null
        after: { digest: string | null; runId: number | null }
        result?: { hash: Buffer; hooks: readonly HookReport[] | undefined }
      },
    ): Promise<void> {
      await row(deploymentId, agentId)
        .where({ fence })
        .whereNotNull('wanted')
        .update({
          state: to.state,
          runsNew: to.runsNew,
          message: to.message,
          afterDigest: to.after.digest,
          afterRunId: to.after.runId,
          wanted: null,
          leaseUntil: null,
          endedAt: db.fn.now(),
          ...(to.result && { resultFence: fence, resultHash: to.result.hash }),
          ...(to.result?.hooks && { hooks: JSON.stringify(to.result.hooks) }),
        })
    },

    async noteRuns(
      agentId: number,
      release: { digest: string; runId: number | null } | null,
    ): Promise<void> {
      await db('agents')
        .where({ organizationId, id: agentId })
        .update({
          releaseDigest: release?.digest ?? null,
          releaseRunId: release?.runId ?? null,
          lastSeenAt: db.fn.now(),
        })
    },
  }
}

/** Work of a deleted agent: the worker that deploys gives its hosts up. */
export async function dropLeases(tenant: Tenant, agentId: number): Promise<number[]> {
  const { db, organizationId } = unwrap(tenant)
  const dropped = await db('deployment_hosts')
    .where({ organizationId, agentId })
    .whereNotNull('wanted')
    .update({ leaseUntil: null, fence: db.raw('fence + 1') })
    .returning('pipelineRunId')
  return dropped.map(({ pipelineRunId }: { pipelineRunId: number }) => pipelineRunId)
}
