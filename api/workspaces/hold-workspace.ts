import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { GuardDenied } from '../../domain/workspaces/guard-denied.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
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
  const { organizationId } = caller
  try {
    return await deps.store.tenant(organizationId, async (tenant) =>
      work(tenant, await workspaces(tenant).getForUpdate(id)),
    )
  } catch (error) {
    if (error instanceof GuardDenied) await recordDenial(deps, { caller, id }, error.what)
    throw error
  }
}

async function recordDenial(
  deps: Deps,
  { caller, id }: { caller: Caller; id: number },
  what: string,
): Promise<void> {
  await deps.store.tenant(caller.organizationId, async (tenant) =>
    auditLog(tenant, actorOf(caller)).recordDenial(
      'workspace.denied',
      `${caller.kind}:${caller.credentialId}`,
      {
        route: `change ${what} of workspace ${id}`,
        target: { kind: 'workspace', id },
        detail: { what, capability: 'manage_cloud_accounts', role: caller.role },
      },
    ),
  )
}
