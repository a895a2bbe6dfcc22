import type { Role } from '../../domain/access/roles.ts'
import type { Db } from '../connect.ts'

export type FoundPerson = {
  id: number
  active: boolean
  deprovisioned: boolean
  email: string | null
  name: string
}

export type SamlStanding = {
  /** Lower case, as of the last assertion. */
  groups: string[]
  /** What the last assertion gave. */
  role: Role | null
  /** What these groups give now, or `defaultRole` where nothing else gives anything; null where SCIM's groups do. */
  wanted: Role | null
}

/** Whom an assertion is about, and what its groups give them (identity.md 2.4). */
export function samlPeople(db: Db, organizationId: number) {
  return {
    /**
     * By address within this organization and no other; who has none goes by the user name
     * that SCIM gave. Somebody who was taken out is found last, so as to be refused by name.
     */
    async find(identifier: string, isEmail: boolean): Promise<FoundPerson | undefined> {
      const look = async (which: string) => {
        const { rows } = await db.raw(
          `select id, active, deprovisioned_at is not null as deprovisioned, email, name from users
           where organization_id = :organizationId and ${which} order by id desc limit 1`,
          { organizationId, identifier },
        )
        return rows[0] as FoundPerson | undefined
      }
      const email = 'lower(email) = :identifier'
      const userName = 'lower(user_name) = :identifier'
      const unaddressed = isEmail ? `${userName} and email is null` : userName
      return (
        (isEmail ? await look(`${email} and deprovisioned_at is null`) : undefined) ??
        (await look(`${unaddressed} and deprovisioned_at is null`)) ??
        (await look(`${isEmail ? email : userName} and deprovisioned_at is not null`))
      )
    },

    /** Whether somebody who is found by another address goes by this one at the identity provider. */
    async hasUserName(userName: string): Promise<boolean> {
      const { rows } = await db.raw(
        `select 1 from users where organization_id = ? and lower(coalesce(user_name, email)) = ? and deprovisioned_at is null`,
        [organizationId, userName],
      )
      return rows.length > 0
    },

    /** Nothing is given by hand to somebody who came by an assertion: their role is what it gives. */
    async create(person: { email: string; name: string }): Promise<number> {
      const [row] = await db('users')
        .insert({ organizationId, ...person })
        .returning('id')
      return row.id
    },

    /** `groups` undefined: the provider did not say, so those of the last time stand. */
    async standing(
      userId: number | undefined,
      groups: readonly string[] | undefined,
      defaultRole: Role,
    ): Promise<SamlStanding> {
      const { rows } = await db.raw(
        `with known as (
           select array(select lower(name) from saml_group_names
             where organization_id = :organizationId and user_id = :userId order by 1) as groups),
         given as (select coalesce(:groups::text[], known.groups) as groups from known)
         select known.groups,
           (select role from role_grants
             where organization_id = :organizationId and user_id = :userId and source = 'saml') as role,
           coalesce(
             (select max(gm.role) from group_mappings gm
               where gm.organization_id = :organizationId and lower(gm.group_name) = any(given.groups)),
             case when not exists (
               select from group_members m
                 join groups g on g.organization_id = m.organization_id and g.id = m.group_id
                 join group_mappings gm on gm.organization_id = g.organization_id
                   and lower(gm.group_name) = lower(g.display_name)
               where m.organization_id = :organizationId and m.user_id = :userId)
             then :defaultRole::member_role end) as wanted
         from known, given`,
        {
          organizationId,
          userId: userId ?? 0,
          groups: groups?.map((name) => name.toLowerCase()) ?? null,
          defaultRole,
        },
      )
      return rows[0]
    },

    async setGroups(userId: number, groups: readonly string[]): Promise<void> {
      await db('saml_group_names').where({ organizationId, userId }).delete()
      await db.raw(
        `insert into saml_group_names (organization_id, user_id, name)
         select ?, ?, unnest(?::text[]) on conflict do nothing`,
        [organizationId, userId, [...groups]],
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
