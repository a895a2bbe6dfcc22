import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { actorOf } from '../../store/audit/audit-log.ts'
import { voidWaitingRuns } from '../runs/void-waiting-runs.ts'
import { workspaceAuthorship } from '../../store/workspaces/workspace-authorship.ts'

export type NotedChange = {
  workspaceId: number
  /** What was changed, for the sentence "the … was changed". */
  what: string
  /** `stale`: the plan no longer describes what would be done. `guard`: only who may approve it changed. */
  effect: 'stale' | 'guard'
}

/**
 * Notes a change of what a workspace's next run does or of what guards it: who made it becomes an
 * author of that run, and a waiting approval or plan no longer holds (docs/runs.md). Called in the
 * transaction of the change, which holds the workspace's row.
 */
export async function noteChange(
  tenant: Tenant,
  caller: Caller,
  { workspaceId, what, effect }: NotedChange,
): Promise<void> {
  await workspaceAuthorship(tenant).add(workspaceId, caller.userId, what)
  await voidWaitingRuns(tenant, {
    workspaceId,
    actor: actorOf(caller),
    effect,
    what: `${what} changed by ${caller.email ?? caller.name}`,
  })
}
