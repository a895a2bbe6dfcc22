import type { Caller } from '../../domain/access/caller.ts'
import type { ChangedPart } from '../../domain/pipelines/parts-of-change.ts'
import { actorOf } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { pipelineAuthorship } from '../../store/pipelines/pipeline-authorship.ts'
import { voidWaitingReleases } from '../runs/void-waiting-releases.ts'

export type NotedChange = {
  pipelineId: number
  what: string
  parts: readonly ChangedPart[]
  effect: 'stale' | 'guard'
}

/**
 * Notes a change of what a pipeline's next run does: who made it becomes an author of that run, and a
 * waiting approval no longer holds. `stale`: what waits would not do what it was approved for, so it
 * ends. Called in the transaction of the change, which holds the pipeline's row.
 */
export async function notePipelineChange(
  tenant: Tenant,
  caller: Caller,
  { pipelineId, what, parts, effect }: NotedChange,
): Promise<void> {
  await pipelineAuthorship(tenant).add(pipelineId, caller.userId, { what, parts })
  await voidWaitingReleases(tenant, {
    pipelineId,
    actor: actorOf(caller),
    effect,
    what: `${what} changed by ${caller.email ?? caller.name}`,
  })
}
