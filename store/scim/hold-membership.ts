import type { Role } from '../../domain/access/roles.ts'
import type { Db } from '../connect.ts'
import { askPrepared } from '../ask-prepared.ts'

/**
 * Whoever changes who is in a group holds this: not against each other, but against whoever
 * changes what people may do or what a group gives (hold-people.ts). Otherwise a member who
 * is added while a mapping is made would be seen by neither.
 *
 * What follows finds few rows, and by keys: to plan it anew each time would cost more than to do
 * it, and PostgreSQL would, since it takes a list of one id for cheaper than any list.
 */
export async function holdMembership(db: Db, organizationId: number): Promise<void> {
  await askPrepared(db, {
    name: 'scim-hold-membership',
    text: `select id, set_config('plan_cache_mode', 'force_generic_plan', true)
      from organizations where id = $1 for share`,
    values: [organizationId],
  })
}

/** The role that a group of this name gives, if any. */
export async function mappedRole(
  db: Db,
  organizationId: number,
  groupName: string,
): Promise<Role | undefined> {
  const [row] = await askPrepared<{ role: Role }>(db, {
    name: 'scim-mapped-role',
    text: 'select role from group_mappings where organization_id = $1 and lower(group_name) = lower($2)',
    values: [organizationId, groupName],
  })
  return row?.role
}
