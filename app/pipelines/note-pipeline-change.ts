import type { Caller } from '../../domain/access/caller.ts'
import { actorOf } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { pipelineAuthorship } from '../../store/pipelines/pipeline-authorship.ts'
import { voidWaitingReleases } from '../runs/void-waiting-releases.ts'

/**
 * Notes a change of what a pipeline's next run does: who made it becomes an author of that run, and a
 * waiting approval no longer holds. `stale`: what waits would not do what it was approved for, so it
 * ends. Called in the transaction of the change, which holds the pipeline's row.
 */
export async function notePipelineChange(
  tenant: Tenant,
  caller: Caller,
  { pipelineId, what, effect }: { pipelineId: number; what: string; effect: 'stale' | 'guard' },
): Promise<void> {
  await pipelineAuthorship(tenant).add(pipelineId, caller.userId, what)
  await voidWaitingReleases(tenant, {
    pipelineId,
    actor: actorOf(caller),
    effect,
    what: `${what} changed by ${caller.email ?? caller.name}`,
  })
}
