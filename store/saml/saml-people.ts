import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Role } from '../../domain/access/roles.ts'
import { askPrepared } from '../driver/ask-prepared.ts'
import { everybodyBehind } from '../everybody-behind.ts'
import { newestMaking } from '../newest-making.ts'

export type FoundPerson = {
  id: number
  active: boolean
  platformAdmin: boolean
  /** The highest role of all sources, before this sign-in changes anything. */
  roleNow: Role
}

export type Sought = {
  /** Lower case. */
  identifier: string
  isEmail: boolean
  groups: readonly string[] | undefined
  defaultRole: Role
}

export type Seen = { found: FoundPerson | undefined; standing: SamlStanding }

export type SamlStanding = {
  /** In lower case, of the last assertion. */
  groups: string[]
  /** The role that the last assertion granted. */
  role: Role | null
  /** The role these groups grant now, or `defaultRole` if nothing grants one; null if SCIM's groups do. */
  wanted: Role | null
}

// Both functions use indexes; under row-level security the plain query would read every row.
const lookText = `
  with person as (
    select u.id, u.active, u.platform_admin as "platformAdmin",
      coalesce((select max(g.role) from role_grants g
        where g.organization_id = $1 and g.user_id = u.id), 'Viewer') as "roleNow"
    from users u
    where u.organization_id = $1 and u.deprovisioned_at is null
      and u.id in (select users_by_email($2) union all select scim_users_by_user_name($2))
      and case when $3 and lower(u.email) = $2 then true
        else lower(u.user_name) = $2 and (not $3 or u.email is null) end
    -- An address takes precedence over a user name.
    order by u.email is null, u.id desc limit 1),
  known as (
    select array(select lower(name) from saml_group_names
      where organization_id = $1 and user_id = (select id from person) order by 1) as groups),
  given as (select coalesce($4::text[], known.groups) as groups from known)
  select person.id, person.active, person."platformAdmin", person."roleNow", known.groups,
    (select role from role_grants
      where organization_id = $1 and user_id = person.id and source = 'saml') as role,
    coalesce(
      (select max(gm.role) from group_mappings gm
        where gm.organization_id = $1 and lower(gm.group_name) = any(given.groups)),
      case when not exists (
        select from group_members m
          join groups g on g.organization_id = m.organization_id and g.id = m.group_id
          join group_mappings gm on gm.organization_id = g.organization_id
            and lower(gm.group_name) = lower(g.display_name)
        where m.organization_id = $1 and m.user_id = person.id)
      then $5::member_role end) as wanted
  from known, given left join person on true`

/** The people of an organization as SAML assertions name them, and the roles that their groups grant. */
export function samlPeople(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /**
     * Finds a person of this organization by address; one without an address by the user name of
     * SCIM. Includes the role that the assertion's groups grant, or would grant to a new person.
     * `groups` undefined: the provider did not say, so the last known ones count.
     */
    async look({ identifier, isEmail, groups, defaultRole }: Sought): Promise<Seen> {
      const [row] = await askPrepared<SamlStanding & Partial<FoundPerson>>(db, {
        name: 'saml-look',
        text: lookText,
        values: [
          organizationId,
          identifier,
          isEmail,
          groups?.map((name) => name.toLowerCase()) ?? null,
          defaultRole,
        ],
      })
      const found = row as SamlStanding & FoundPerson & { id: number | null }
      const { id, active, platformAdmin, roleNow, ...standing } = found
      return { found: id === null ? undefined : { id, active, platformAdmin, roleNow }, standing }
    },

    /** Whether a person with that address or user name was deprovisioned. They must not come back as a new person. */
    async wasTakenOut(identifier: string): Promise<boolean> {
      const { rows } = await db.raw(
        `select id from users where organization_id = :organizationId
           and (lower(email) = :identifier or lower(user_name) = :identifier)
           and deprovisioned_at is not null limit 1`,
        { organizationId, identifier },
      )
      return rows.length > 0
    },

    /**
     * Whether the address is the user name of a person with another address. One who has it as their
     * address too does not count: SCIM may have created them since `look` found nobody.
     */
    async isUserNameOfAnother(identifier: string): Promise<boolean> {
      const { rows } = await db.raw(
        `select 1 from users where organization_id = :organizationId
           and lower(coalesce(user_name, email)) = :identifier and deprovisioned_at is null
           and lower(email) <> :identifier`,
        { organizationId, identifier },
      )
      return rows.length > 0
    },

    /** Creates a person without a role granted by hand: their role is what the assertions grant. */
    async create(person: { email: string; name: string }): Promise<number> {
      const [row] = await db('users')
        .insert({ organizationId, ...person })
        .returning('id')
      return row.id
    },

    async setGroups(userId: number, groups: readonly string[]): Promise<void> {
      await db('saml_group_names').where({ organizationId, userId }).delete()
      await db.raw(
        `insert into saml_group_names (organization_id, user_id, name)
         select ?, ?, unnest(?::text[]) on conflict do nothing`,
        [organizationId, userId, [...groups]],
      )
    },

    /** Notes who mapped this person's groups as having promoted them, at the time of the mapping. */
    async noteMappers(userId: number): Promise<void> {
      await db.raw(
        `insert into person_makers (organization_id, user_id, made_by, what, at)
         select s.organization_id, s.user_id, behind.id, 'promoted', max(gm.updated_at)
         from saml_group_names s join group_mappings gm on gm.organization_id = s.organization_id
           and lower(gm.group_name) = lower(s.name) ${everybodyBehind('gm', 'mapped_by')}
         where s.organization_id = ? and s.user_id = ?
         group by s.organization_id, s.user_id, behind.id ${newestMaking}`,
        [organizationId, userId],
      )
    },

    async setRole(userId: number, role: Role | null): Promise<void> {
      const own = { organizationId, userId, source: 'saml' }
      if (role === null) await db('role_grants').where(own).delete()
      else
        await db('role_grants')
          .insert({ ...own, role })
          .onConflict(['organizationId', 'userId', 'source'])
          .merge({ role, grantedAt: db.fn.now() })
    },
  }
}
