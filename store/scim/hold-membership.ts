import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Role } from '../../domain/access/roles.ts'
import { askPrepared } from '../driver/ask-prepared.ts'

/**
 * Takes the shared lock of a change of membership. Such changes do not exclude each other, but they
 * exclude changes of what people may do and of what a group grants (hold-people.ts). Otherwise a
 * member added while a mapping is made would be missed by both.
 *
 * Also forces PostgreSQL to keep the plans of the following statements: they find few rows by keys,
 * and planning each anew would cost more than running it.
 */
export async function holdMembership(tenant: Tenant): Promise<void> {
  const { db, organizationId } = unwrap(tenant)

  await askPrepared(db, {
    name: 'scim-hold-membership',
    text: `select id, set_config('plan_cache_mode', 'force_generic_plan', true)
      from organizations where id = $1 for share`,
    values: [organizationId],
  })
}

/** The role that a group with this name grants, if any. */
export async function mappedRole(tenant: Tenant, groupName: string): Promise<Role | undefined> {
  const { db, organizationId } = unwrap(tenant)

  const [row] = await askPrepared<{ role: Role }>(db, {
    name: 'scim-mapped-role',
    text: 'select role from group_mappings where organization_id = $1 and lower(group_name) = lower($2)',
    values: [organizationId, groupName],
  })
  return row?.role
}
