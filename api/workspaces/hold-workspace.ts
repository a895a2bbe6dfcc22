import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { GuardDenied } from '../../domain/workspaces/guard-denied.ts'
import { deniedCaller, notingDenial, type Denial } from '../../app/audit/note-denial.ts'
import { workspaces, type Workspace } from '../../store/workspaces/workspaces.ts'
import type { Deps } from '../deps.ts'

/**
 * Runs `work` in one transaction that locks the workspace's row, as all decisions on turns, locks,
 * state and guards do. A refused change of a guard rolls the transaction back, so its audit entry is
 * written afterwards.
 */
export async function holdWorkspace<T>(
  deps: Deps,
  { caller, id }: { caller: Caller; id: number },
  work: (tenant: Tenant, workspace: Workspace) => Promise<T>,
): Promise<T> {
  return notingDenial(
    { store: deps.store, denied: [deniedCaller(caller)] },
    (error) => (error instanceof GuardDenied ? denialOf(caller, id, error) : undefined),
    async () =>
      deps.store.tenant(caller.organizationId, async (tenant) =>
        work(tenant, await workspaces(tenant).getForUpdate(id)),
      ),
  )
}

const denialOf = (caller: Caller, id: number, { what }: GuardDenied): Denial => ({
  event: 'workspace.denied',
  attempt: `change ${what} of workspace ${id}`,
  target: { kind: 'workspace', id },
  detail: { what, capability: 'manage_cloud_accounts', role: caller.role },
})
