import { asTenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { organizations, type Organization } from '../../store/platform/organizations.ts'
import type { Deps } from '../deps.ts'

/**
 * Suspends or resumes an organization, with an entry in that organization's audit log in the same
 * transaction. Idempotent: an unchanged status writes no entry.
 */
export async function setOrganizationStatus(
  deps: Deps,
  caller: Caller,
  { id, status }: { id: number; status: Organization['status'] },
): Promise<Organization> {
  // Nobody signs in to a suspended organization, so nobody could resume it.
  if (id === caller.organizationId && status === 'suspended')
    throw conflict('own_organization', 'You cannot suspend the organization that you are in.')
  return deps.store.platform.transaction(async (trx) => {
    const all = organizations(trx)
    const before = await all.getForUpdate(id)
    if (!before) throw notFound()
    if (before.status === status) return before
    const after = await all.setStatus(id, status)
    if (!after) throw notFound()
    await auditLog(asTenant(trx, id), { ...actorOf(caller), id: null }).record(
      status === 'suspended' ? 'org.suspended' : 'org.resumed',
      { target: { kind: 'organization', id, label: after.slug } },
    )
    return after
  })
}
