import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { actorOf } from '../../store/audit/audit-log.ts'
import { voidRunsOfWorkspaces, type VoidingChange } from '../runs/void-waiting-runs.ts'
import { workspaceAuthorship } from '../../store/workspaces/workspace-authorship.ts'

/** `what` was changed, for the sentence "the … was changed". */
export type NotedChange = Pick<VoidingChange, 'what' | 'effect'>

/**
 * Notes a change of what a workspace's next run does or of what guards it: who made it becomes an
 * author of that run, and a waiting approval or plan no longer holds (docs/runs.md). Called in the
 * transaction of the change, which holds the workspace's row.
 */
export async function noteChange(
  tenant: Tenant,
  caller: Caller,
  { workspaceId, ...change }: NotedChange & { workspaceId: number },
): Promise<void> {
  await noteChanges(tenant, caller, { ...change, workspaceIds: [workspaceId] })
}

/**
 * The same for workspaces whose rows are held. There may be thousands, which stay locked until the
 * transaction ends, so only those with a waiting run have statements of their own.
 */
export async function noteChanges(
  tenant: Tenant,
  caller: Caller,
  { workspaceIds, what, effect }: NotedChange & { workspaceIds: readonly number[] },
): Promise<void> {
  await workspaceAuthorship(tenant).add(workspaceIds, caller.userId, what)
  await voidRunsOfWorkspaces(tenant, {
    workspaceIds,
    actor: actorOf(caller),
    effect,
    what: `${what} changed by ${caller.email ?? caller.name}`,
  })
}
