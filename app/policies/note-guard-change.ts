import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { noteChanges } from '../workspaces/note-change.ts'
import { workspaces, type GuardedWorkspaces } from '../../store/workspaces/workspaces.ts'

/**
 * Notes a change of a rule over many workspaces: in each, who changed it becomes an author of the
 * next run, and a waiting approval is void. Called in the transaction of the change, after the
 * rule's own row is locked.
 */
export async function noteGuardChange(
  tenant: Tenant,
  caller: Caller,
  { what, guarded }: { what: string; guarded: readonly GuardedWorkspaces[] },
): Promise<void> {
  const workspaceIds = await workspaces(tenant).holdGuarded(guarded)
  await noteChanges(tenant, caller, { workspaceIds, what, effect: 'guard' })
}
