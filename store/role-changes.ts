import { insertAuditEntry } from './insert-audit-entry.ts'

/** Up to this many people have an audit entry each; above, one entry has their number and as many ids. */
export const mostRoleEntries = 100

type Recomputed = { organizationId: string; recomputed: string; wanted: string }

/**
 * SQL, parts of a `with` that has `affected` (user_id): whose role changes if the grants of the sources `recomputed`
 * become those of `wanted` (user_id, role), one a person. `changed` has the role of all sources before and after.
 * Reads the grants as they were before the statement.
 */
export const changedRoles = ({ organizationId, recomputed, wanted }: Recomputed): string => `
  changed as materialized (
    select a.user_id, coalesce(max(r.role), 'Viewer') as was, ${becomes(recomputed)} as becomes
    from affected a
      left join ${wanted} w on w.user_id = a.user_id
      left join role_grants r on r.organization_id = ${organizationId} and r.user_id = a.user_id
    group by a.user_id, w.role
    having coalesce(max(r.role), 'Viewer') <> ${becomes(recomputed)}),
  promoted as (select user_id from changed where becomes > was),
  demoted as (select user_id from changed where becomes < was)`

/** The highest of what the other sources grant and what is wanted; `greatest` ignores null. */
const becomes = (recomputed: string): string => `greatest(
  coalesce(max(r.role) filter (where r.source not in (${recomputed})), 'Viewer'), w.role)`

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
