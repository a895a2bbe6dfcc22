import type { Role } from '../../domain/access/roles.ts'
import type { Db } from '../connect.ts'

/**
 * Whoever changes who is in a group holds this: not against each other, but against whoever
 * changes what people may do or what a group gives (hold-people.ts). Otherwise a member who
 * is added while a mapping is made would be seen by neither.
 */
export async function holdMembership(db: Db, organizationId: number): Promise<void> {
  await db.raw('select id from organizations where id = ? for share', [organizationId])
}

/** The role that a group of this name gives, if any. */
export async function mappedRole(
  db: Db,
  organizationId: number,
  groupName: string,
): Promise<Role | undefined> {
  const { rows } = await db.raw(
    'select role from group_mappings where organization_id = ? and lower(group_name) = lower(?)',
    [organizationId, groupName],
  )
  return rows[0]?.role
}
