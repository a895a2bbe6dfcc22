import { insertAuditEntry } from './insert-audit-entry.ts'

/** Up to this many people have an audit entry each; above, one entry has their number and as many ids. */
export const mostRoleEntries = 100

type Recomputed = { organizationId: string; notCounting?: string }

/**
 * SQL, parts of a `with` that has `affected` (user_id): writes what SCIM's groups and the groups of the last assertion
 * grant these people. `changed` has the role of all sources before and after, `promoted` and `demoted` who of them has
 * more and less, and `by_default` who configured the default role that promoted somebody. Reads the grants as they were before the statement. `notCounting` is the id of a group that grants
 * nothing. A person of SAML has the default role if no group grants one.
 */
export const recomputedRoles = ({ organizationId, notCounting }: Recomputed): string => `
  by_scim as (
    select m.user_id, max(gm.role) as role from affected a
      join group_members m on m.organization_id = ${organizationId} and m.user_id = a.user_id
      join groups g on g.organization_id = m.organization_id and g.id = m.group_id
      join group_mappings gm on gm.organization_id = g.organization_id
        and lower(gm.group_name) = lower(g.display_name)
    ${notCounting === undefined ? '' : `where g.id <> ${notCounting}`}
    group by m.user_id),
  by_saml as (
    select user_id, max(role) as role from (
      select s.user_id, gm.role from affected a
        join saml_group_names s on s.organization_id = ${organizationId} and s.user_id = a.user_id
        left join group_mappings gm on gm.organization_id = s.organization_id
          and lower(gm.group_name) = lower(s.name)
      union all
      select r.user_id, null from affected a
        join role_grants r on r.organization_id = ${organizationId} and r.user_id = a.user_id
          and r.source = 'saml') as known
    group by user_id),
  wanted as (
    select user_id, 'scim' as source, role from by_scim
    union all
    select p.user_id, 'saml', coalesce(p.role, c.default_role) from by_saml p
      left join by_scim g on g.user_id = p.user_id
      left join saml_configurations c on c.organization_id = ${organizationId} and g.user_id is null
    where p.role is not null or c.default_role is not null),
  gone as (
    delete from role_grants r using affected a
    where r.organization_id = ${organizationId} and r.user_id = a.user_id and r.source in ('scim', 'saml')
      and not exists (select from wanted w where w.user_id = r.user_id and w.source = r.source)),
  granted as (
    insert into role_grants (organization_id, user_id, source, role)
    select ${organizationId}, user_id, source, role from wanted
    on conflict (organization_id, user_id, source)
      do update set role = excluded.role, granted_at = now() where role_grants.role <> excluded.role),
  changed as materialized (
    select a.user_id, coalesce(max(r.role), 'Viewer') as was, ${becomes} as becomes
    from affected a
      left join (select user_id, max(role) as role from wanted group by user_id) w on w.user_id = a.user_id
      left join role_grants r on r.organization_id = ${organizationId} and r.user_id = a.user_id
    group by a.user_id, w.role
    having coalesce(max(r.role), 'Viewer') <> ${becomes}),
  promoted as (select user_id from changed where becomes > was),
  by_default as (
    select p.user_id, saver as made_by from promoted p
      join by_saml s on s.user_id = p.user_id and s.role is null
      join wanted w on w.user_id = p.user_id and w.source = 'saml'
      join saml_configurations c on c.organization_id = ${organizationId}
      cross join unnest(c.saved_by) as saver),
  demoted as (select user_id from changed where becomes < was)`

/** The highest of what is granted by hand and what is wanted; `greatest` ignores null. */
const becomes = `greatest(
  coalesce(max(r.role) filter (where r.source = 'manual'), 'Viewer'), w.role)`

/** SQL, as jsonb: the first people of `changed`. */
export const changedIds = `(select coalesce(jsonb_agg(user_id), '[]') from (
  select user_id from changed order by user_id limit ${mostRoleEntries}) as first_ones)`

type By = {
  organizationId: string
  event: string
  actorKind: string
  actorId: string
  actorLabel: string
  ip: string
  requestId: string
}

/** SQL, of `changed`: whether the people are too many for an entry each. */
export const areMany = `(select count(*) from changed) > ${mostRoleEntries}`

/**
 * SQL, parts of a `with` that has `changed`: an audit entry for each. `many` is an entry that is written instead
 * where they are many; without it they must be few.
 */
export const auditChangedRoles = ({ organizationId, event, ...by }: By, many?: string): string => `
  entries as (
    select ${event} as event, 'user' as kind, u.id::text as id,
      left(coalesce(u.email, u.user_name, u.name), 300) as label,
      jsonb_build_object('role', jsonb_build_object('from', c.was, 'to', c.becomes)) as detail
    from changed c join users u on u.organization_id = ${organizationId} and u.id = c.user_id
    where u.deprovisioned_at is null${many === undefined ? '' : ` and not ${areMany} ${many}`}),
  audited as (
    ${insertAuditEntry(
      {
        organizationId,
        ...by,
        event: 'e.event',
        outcome: `'success'`,
        targetKind: 'e.kind',
        targetId: 'e.id',
        targetLabel: 'e.label',
        detail: 'e.detail',
      },
      'from entries e',
    )})`
