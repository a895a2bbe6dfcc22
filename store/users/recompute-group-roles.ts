import { unwrap, type Tenant } from '../driver/tenant.ts'
import { endInvitationsBy, endShownInvitations } from '../end-shown-invitations.ts'
import { newestMaking } from '../newest-making.ts'
import { auditChangedRoles, changedIds, changedRoles, mostRoleEntries } from '../role-changes.ts'

/** Who changes the mapping: the person, and as the audit log names them. */
export type Mapper = {
  userId: number
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
 * whose role rises counts as promoted by who changed the mapping, and links to them that somebody was shown end.
 * Of a person whose role falls the links that they were shown end. Each change of a role is audited.
 */
export async function recomputeGroupRoles(
  tenant: Tenant,
  { groupName, by }: { groupName: string; by: Mapper },
): Promise<RolesChanged> {
  const { db, organizationId } = unwrap(tenant)
  const { kind, id, label, ip = null, requestId = null } = by.actor
  const values = { organizationId, groupName, by: by.userId, kind, id, label, ip, requestId }
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
  wanted as (
    select m.user_id, 'scim' as source, max(gm.role) as role from affected a
      join group_members m on m.organization_id = :organizationId and m.user_id = a.user_id
      join groups g on g.organization_id = m.organization_id and g.id = m.group_id
      join group_mappings gm on gm.organization_id = g.organization_id
        and lower(gm.group_name) = lower(g.display_name)
    group by m.user_id
    union all
    -- A person of SAML has the default role if no group grants one.
    select a.user_id, 'saml', coalesce(mapped.role, c.default_role) from affected a
      left join saml_configurations c on c.organization_id = :organizationId
      left join lateral (
        select max(gm.role) as role from saml_group_names s
          join group_mappings gm on gm.organization_id = s.organization_id
            and lower(gm.group_name) = lower(s.name)
        where s.organization_id = :organizationId and s.user_id = a.user_id) mapped on true
    where mapped.role is not null
      or (c.default_role is not null
        and exists (select from saml_group_names s
          where s.organization_id = :organizationId and s.user_id = a.user_id
          union all select from role_grants r
          where r.organization_id = :organizationId and r.user_id = a.user_id and r.source = 'saml')
        and not exists (select from group_members m
            join groups g on g.organization_id = m.organization_id and g.id = m.group_id
            join group_mappings gm on gm.organization_id = g.organization_id
              and lower(gm.group_name) = lower(g.display_name)
          where m.organization_id = :organizationId and m.user_id = a.user_id))),
  gone as (
    delete from role_grants r using affected a
    where r.organization_id = :organizationId and r.user_id = a.user_id and r.source in ('scim', 'saml')
      and not exists (select 1 from wanted w where w.user_id = r.user_id and w.source = r.source)),
  ${changedRoles({
    organizationId: ':organizationId',
    recomputed: `'scim', 'saml'`,
    wanted: '(select user_id, max(role) as role from wanted group by user_id)',
  })},
  ended as (${endShownInvitations(':organizationId', 'promoted')}),
  held as (${endInvitationsBy(':organizationId', 'demoted')}),
  made as (
    insert into person_makers (organization_id, user_id, made_by, what)
    select :organizationId::integer, user_id, :by::integer, 'promoted' from promoted
    ${newestMaking}),
  ${auditChangedRoles(actor, '')},
  granted as (
    insert into role_grants (organization_id, user_id, source, role)
    select :organizationId, user_id, source, role from wanted
    on conflict (organization_id, user_id, source)
      do update set role = excluded.role, granted_at = now() where role_grants.role <> excluded.role)
  select (select count(*) from changed)::integer as people, ${changedIds} as ids`
