import type { Db } from '../connect.ts'

export type Affected = {
  groupId: number
  /** Public ids; all members of the group where there are none. */
  ids?: readonly string[]
  /** All members but these. */
  allBut?: readonly string[]
  /** What they have once the group is no more theirs: asked before it is taken away. */
  notCounting?: boolean
}

const members =
  'select m.user_id from group_members m where m.organization_id = :organizationId and m.group_id = :groupId'
const named = `select u.id as user_id from users u
  where u.organization_id = :organizationId and u.public_id = any(cast(:ids as uuid[]))`

/**
 * Gives people what their groups give them now, up or down, in one statement, and looks at
 * nobody else. What was given by hand is not touched, and no mapping gives Owner. They are
 * held first: of two groups that change at once the second sees what the first has done.
 */
export async function recomputeMemberRoles(
  db: Db,
  organizationId: number,
  { groupId, ids, allBut, notCounting = false }: Affected,
): Promise<void> {
  const affected = ids ? named : allBut ? `${members} and m.user_id not in (${named})` : members
  const bindings = { organizationId, groupId, ids: [...(ids ?? allBut ?? [])] }
  const hold = db.raw(
    `select count(*) from (select u.id from users u
       where u.organization_id = :organizationId and u.id in (${affected})
       order by u.id for no key update) as held`,
    bindings,
  )
  const give = db.raw(
    `with affected as (${affected}),
     wanted as (
       select m.user_id, max(gm.role) as role from affected a
         join group_members m on m.organization_id = :organizationId and m.user_id = a.user_id
         join groups g on g.organization_id = m.organization_id and g.id = m.group_id
         join group_mappings gm on gm.organization_id = g.organization_id
           and lower(gm.group_name) = lower(g.display_name)
       ${notCounting ? 'where g.id <> :groupId' : ''}
       group by m.user_id),
     gone as (
       delete from role_grants r using affected a
       where r.organization_id = :organizationId and r.user_id = a.user_id and r.source = 'scim'
         and not exists (select from wanted w where w.user_id = r.user_id))
     insert into role_grants (organization_id, user_id, source, role)
     select :organizationId, user_id, 'scim', role from wanted
     on conflict (organization_id, user_id, source)
       do update set role = excluded.role, granted_at = now() where role_grants.role <> excluded.role`,
    bindings,
  )
  // Sent together, done one after the other.
  await Promise.all([hold, give])
}
