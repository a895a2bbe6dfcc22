import { unwrap, type Tenant } from '../driver/tenant.ts'
import { AppError, notFound } from '../../domain/errors.ts'
import type { Role } from '../../domain/access/roles.ts'
import { isUuid } from '../../domain/scim/is-uuid.ts'
import type { UserColumns } from '../../domain/scim/user-columns.ts'
import { isUniqueViolation } from '../driver/connect.ts'
import { askPrepared } from '../driver/ask-prepared.ts'
import type { Sql } from './filter-to-sql.ts'
import { listInBytes, type BoundedPage, type ListPage } from './list-in-bytes.ts'

export type ScimUser = UserColumns & {
  id: number
  publicId: string
  role: Role
  platformAdmin: boolean
  /** Null if they were not asked for. */
  groups: Array<{ value: string; display: string }> | null
  /** Changes with all that is shown: also the groups, their names and the role, which do not change the row. */
  version: string
  createdAt: Date
  updatedAt: Date
}

export const storedUser = `u.id, u.public_id as "publicId", u.user_name as "userName", u.external_id as "externalId", u.email,
  u.name, u.active, u.profile, u.platform_admin as "platformAdmin", u.created_at as "createdAt", u.updated_at as "updatedAt"`

/**
 * Derived, for a change of a group or mapping would otherwise write a row for each of 100,000 members. Groups are a
 * set, so the order of their hashes does not matter; a hash is seeded with the group's id, and the role's with none.
 */
export const userVersion = `u.row_version || coalesce('-' || to_hex((select bit_xor(shown.hash) from (
  select hashtextextended(g.display_name, g.id) as hash
    from group_members m join groups g on g.organization_id = m.organization_id and g.id = m.group_id
    where m.organization_id = u.organization_id and m.user_id = u.id
  union all
  select hashtextextended(max(r.role)::text, 0) from role_grants r
    where r.organization_id = u.organization_id and r.user_id = u.id and r.role <> 'Viewer') as shown)), '')`

const columns = `${storedUser}, ${userVersion} as version,
  coalesce((select max(r.role) from role_grants r
    where r.organization_id = u.organization_id and r.user_id = u.id), 'Viewer') as role`

const groups = `(select coalesce(json_agg(json_build_object('value', g.public_id, 'display', g.display_name) order by g.id), '[]')
  from group_members m join groups g on g.organization_id = m.organization_id and g.id = m.group_id
  where m.organization_id = u.organization_id and m.user_id = u.id) as groups`
const countOfGroups = `(select count(*) from group_members m
  where m.organization_id = u.organization_id and m.user_id = u.id)`

const shown = (wantsGroups: boolean) => `${columns}, ${wantsGroups ? groups : 'null as groups'}`

async function findUser(
  tenant: Tenant,
  publicId: string,
  { name, groups: wantsGroups, lock = '' }: { name: string; groups: boolean; lock?: string },
): Promise<ScimUser> {
  const { db, organizationId } = unwrap(tenant)
  if (!isUuid(publicId)) throw notFound()
  const [user] = await askPrepared<ScimUser>(db, {
    name,
    text: `select ${shown(wantsGroups)} from users u
      where u.organization_id = $1 and u.deprovisioned_at is null and u.public_id = $2 ${lock}`,
    values: [organizationId, publicId],
  })
  if (!user) throw notFound()
  return user
}

/** The people of one organization as SCIM sees them: everybody, so that providers link instead of duplicating. */
export function scimUsers(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const where = 'u.organization_id = ? and u.deprovisioned_at is null'

  return {
    async get(publicId: string, wantsGroups: boolean): Promise<ScimUser> {
      const name = wantsGroups ? 'scim-user-and-groups' : 'scim-user'
      return findUser(tenant, publicId, { name, groups: wantsGroups })
    },

    async getForUpdate(publicId: string): Promise<ScimUser> {
      const lock = 'for no key update of u'
      return findUser(tenant, publicId, { name: 'scim-user-held', groups: false, lock })
    },

    async list(page: ListPage, wantsGroups: boolean): Promise<BoundedPage<ScimUser>> {
      return listInBytes(
        db,
        {
          table: 'users',
          alias: 'u',
          where,
          links: wantsGroups ? countOfGroups : '0',
          columns: shown(wantsGroups),
          counted: '"userName", "externalId", email, name, profile, groups',
        },
        { organizationId, page },
      )
    },

    async count(filter: Sql | undefined): Promise<number> {
      const { rows } = await db.raw(
        `select count(*)::integer as count from users u where ${where} ${filter ? `and ${filter.text}` : ''}`,
        [organizationId, ...(filter?.bindings ?? [])],
      )
      return rows[0].count
    },

    async update(id: number, user: UserColumns): Promise<void> {
      try {
        await askPrepared(db, {
          name: 'scim-user-update',
          text: `update users set user_name = $3, external_id = $4, email = $5, name = $6, active = $7, profile = $8,
              updated_at = now(), row_version = row_version + 1
            where organization_id = $1 and id = $2`,
          values: [organizationId, id, ...valuesOf(user)],
        })
      } catch (error) {
        throw toTakenUser(error)
      }
    },
  }
}

const valuesOf = ({ userName, externalId, email, name, active, profile }: UserColumns) => [
  userName,
  externalId,
  email,
  name,
  active,
  JSON.stringify(profile),
]

export function toTakenUser(error: unknown): unknown {
  const taken = (what: string) =>
    new AppError('conflict', `Somebody here has this ${what} already.`, {
      code: 'taken',
      scimType: 'uniqueness',
      cause: error,
    })
  if (isUniqueViolation(error, 'users_user_name')) return taken('userName')
  if (isUniqueViolation(error, 'users_email')) return taken('e-mail address')
  return error
}
