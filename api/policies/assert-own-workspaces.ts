import type { Tenant } from '../../store/driver/tenant.ts'
import { notFound } from '../../domain/errors.ts'
import type { PolicyWorkspaces } from '../../store/policies/policies.ts'
import { namesOfWorkspaces } from '../../store/workspaces/names-of-workspaces.ts'

/** Refuses a policy that names a workspace of another organization: not found, as if it did not exist. */
export async function assertOwnWorkspaces(
  tenant: Tenant,
  { wanted, had = [] }: { wanted: PolicyWorkspaces; had?: PolicyWorkspaces },
): Promise<void> {
  if (!Array.isArray(wanted)) return
  // Workspaces that were deleted since may stay, so that a policy can be sent back as it was read.
  const added = wanted.filter((id) => !had.includes(id as never))
  const known = await namesOfWorkspaces(tenant, added)
  if (known.size < added.length) throw notFound()
}
