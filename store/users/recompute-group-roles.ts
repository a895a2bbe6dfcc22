import { unwrap, type Tenant } from '../driver/tenant.ts'
import { endInvitationsBy, endShownInvitations } from '../end-shown-invitations.ts'
import { newestMaking } from '../newest-making.ts'
import { auditChangedRoles, changedIds, mostRoleEntries, recomputedRoles } from '../role-changes.ts'

/** Who changes the mapping: the person, and as the audit log names them. */
export type Mapper = {
  userId: number
  /** Who configured the identity provider that signed them in; null for a password. */
  idpSavedBy: readonly number[] | null
  actor: {
    kind: string
    id: number | null
    label: string
    ip?: string | null
    requestId?: string | null
  }
}

/** For the entry of the mapping in the audit log. The ids are there where the people have no entries. */
export type RolesChanged = { rolesChanged?: number; userIds?: number[] }

const actor = {
  organizationId: ':organizationId',
  event: `'org.user_updated'`,
  actorKind: ':kind',
  actorId: ':id',
  actorLabel: ':label',
  ip: ':ip',
  requestId: ':requestId',
}

/**
 * Recomputes the roles that the members of one group get from their groups, in one statement. A
 * role granted by hand is not touched: the highest source counts. The people must be locked, so
 * that a member who is added concurrently is not missed. The caller then voids approvals. A person
 * whose role rises counts as promoted by everybody behind the change of the mapping and by who configured the default
 * role, if it is that; links to them that somebody was shown end.
 * Of a person whose role falls the links that they were shown end. Each change of a role is audited.
 */
export async function recomputeGroupRoles(
  tenant: Tenant,
  { groupName, by }: { groupName: string; by: Mapper },
): Promise<RolesChanged> {
  const { db, organizationId } = unwrap(tenant)
  const { kind, id, label, ip = null, requestId = null } = by.actor
  const makers = [...new Set([by.userId, ...(by.idpSavedBy ?? [])])]
  const values = { organizationId, groupName, makers, kind, id, label, ip, requestId }
  const { rows } = await db.raw(text, values)
  const [{ people, ids }] = rows
  return {
    ...(people > 0 && { rolesChanged: people }),
    ...(people > mostRoleEntries && { userIds: ids }),
  }
}

const text = `with affected as (
    select m.user_id from groups g
      join group_members m on m.organization_id = g.organization_id and m.group_id = g.id
    where g.organization_id = :organizationId and lower(g.display_name) = lower(:groupName)
    union
    select s.user_id from saml_group_names s
    where s.organization_id = :organizationId and lower(s.name) = lower(:groupName)),
  ${recomputedRoles({ organizationId: ':organizationId' })},
  ended as (${endShownInvitations(':organizationId', 'promoted')}),
  held as (${endInvitationsBy(':organizationId', 'demoted')}),
  made as (
    insert into person_makers (organization_id, user_id, made_by, what)
    select :organizationId::integer, user_id, maker, 'promoted' from (
      select user_id, maker from promoted cross join unnest(:makers::integer[]) as maker
      union select user_id, made_by from by_default) as by
    ${newestMaking}),
  ${auditChangedRoles(actor, '')}
  select (select count(*) from changed)::integer as people, ${changedIds} as ids`
