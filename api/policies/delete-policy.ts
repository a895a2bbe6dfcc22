import type { Caller } from '../../domain/access/caller.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { noteGuardChange } from '../../app/policies/note-guard-change.ts'
import { policies } from '../../store/policies/policies.ts'
import type { Deps } from '../deps.ts'

/** Deletes a policy. Who deletes it counts as an author of the runs that it guarded. */
export async function deletePolicy(deps: Deps, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (tenant) => {
    const policy = await policies(tenant).getForUpdate(id)
    await policies(tenant).delete(id)
    await noteGuardChange(tenant, caller, { what: 'policy', guarded: [policy.workspaces] })
    await auditLog(tenant, actorOf(caller)).record('policy.deleted', {
      target: { kind: 'policy', id, label: policy.name },
      detail: { version: policy.version },
    })
  })
}
