import type { Db } from '../driver/connect.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Role } from '../../domain/access/roles.ts'
import { isUniqueViolation } from '../driver/connect.ts'
import { contains } from '../contains.ts'

class UserRow extends Model {
  static override tableName = 'users'
  declare id: number
  declare organizationId: number
  declare publicId: string
  declare email: string | null
  declare userName: string | null
  declare name: string
  declare passwordHash: string | null
  declare platformAdmin: boolean
  declare active: boolean
  declare createdAt: Date
}

export type User = {
  id: number
  publicId: string
  email: string | null
  name: string
  /** The user name at the identity provider, for people that SCIM created. */
  userName: string | null
  role: Role
  active: boolean
  platformAdmin: boolean
  /** Has never signed in: no password yet, and no identity provider has named them. */
  invited: boolean
  createdAt: Date
}

export type UserFilter = { limit: number; after: number; q?: string; role?: Role; active?: boolean }
export type UserChange = { name?: string; email?: string; active?: boolean }

type Able = {
  lowest: Role
  /** Includes platform administrators, whatever their role. */
  platformAdmins?: boolean
  /** Without people who have never signed in: they may not have accepted their invitation. */
  signedIn?: boolean
  except?: Iterable<number>
  limit: number
}

const effectiveRole = `coalesce((select max(g.role) from role_grants g
  where g.organization_id = users.organization_id and g.user_id = users.id), 'Viewer')`

const invited = `users.password_hash is null and users.user_name is null and not exists (
  select from role_grants g where g.organization_id = users.organization_id
    and g.user_id = users.id and g.source <> 'manual')`

/** The people of one organization. A deprovisioned person is not found: the row stays for the audit log alone. */
export function users(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => UserRow.query(db).where({ organizationId }).whereNull('deprovisionedAt')
  const withRole = () =>
    rows()
      .select('id', 'publicId', 'email', 'name', 'userName', 'active', 'platformAdmin', 'createdAt')
      .select(db.raw(`${effectiveRole} as role, (${invited}) as invited`))
      .castTo<User[]>()

  return {
    async get(id: number): Promise<User> {
      const [user] = await withRole().where({ id })
      if (!user) throw notFound()
      return user
    },

    /** The label for the audit log. Reads less than `get`, since each sign-in needs it. */
    async labelOf(id: number): Promise<string> {
      const found = db('users').where({ organizationId, id }).whereNull('deprovisionedAt')
      const row = await found.first('email', 'name')
      if (!row) throw notFound()
      return row.email ?? row.name
    },

    async list({ limit, after, q, role, active }: UserFilter): Promise<User[]> {
      const found = withRole().where('id', '>', after).orderBy('id').limit(limit)
      if (active !== undefined) void found.where({ active })
      if (role !== undefined) void found.whereRaw(`${effectiveRole} = ?`, [role])
      if (q !== undefined) {
        const like = contains(q)
        void found.where((any) => void any.whereILike('email', like).orWhereILike('name', like))
      }
      return found
    },

    async listByIds(ids: readonly number[]): Promise<User[]> {
      return ids.length === 0 ? [] : withRole().whereIn('id', [...ids])
    },

    async listByEmails(emails: readonly string[]): Promise<User[]> {
      const wanted = [...new Set(emails.map((email) => email.toLowerCase()))]
      if (wanted.length === 0) return []
      return withRole().whereRaw('lower(email) = any(?::text[])', [wanted]).orderBy('id')
    },

    /** Active people with at least this role, oldest first, without `except`. */
    async listAble(able: Able): Promise<User[]> {
      const { lowest, platformAdmins = false, signedIn = false, except = [], limit } = able
      const found = withRole()
        .where({ active: true })
        .whereNotIn('id', [...except])
        .where((either) => {
          void either.whereExists(
            db('role_grants as g')
              .whereRaw('g.organization_id = users.organization_id and g.user_id = users.id')
              .where('g.role', '>=', lowest)
              .select(db.raw('1')),
          )
          if (platformAdmins) void either.orWhere({ platformAdmin: true })
        })
        .orderBy('id')
        .limit(limit)
      if (signedIn) void found.whereNotNull('firstSignedInAt')
      return found
    },

    /** False until the first session, by a password or an identity provider. */
    async hasSignedIn(id: number): Promise<boolean> {
      const found = rows().findOne({ id }).whereNotNull('firstSignedInAt').select('id')
      return (await found) !== undefined
    },

    async create(user: {
      email: string
      name: string
      role: Role
      platformAdmin?: boolean
      passwordHash?: string
    }): Promise<User> {
      const { role, ...columns } = user
      try {
        // A savepoint, so that the transaction stays usable after a unique violation.
        const created = await db.transaction(async (savepoint) =>
          UserRow.query(savepoint).insertAndFetch({ organizationId, ...columns }),
        )
        await db('role_grants').insert({
          organizationId,
          userId: created.id,
          source: 'manual',
          role,
        })
        return await this.get(created.id)
      } catch (error) {
        throw await this.toTaken(error, user.email)
      }
    },

    async update(id: number, change: UserChange): Promise<void> {
      try {
        await db.transaction(async (savepoint) =>
          savepoint('users')
            .where({ organizationId, id })
            .whereNull('deprovisionedAt')
            .update({ ...change, ...withoutProvisioned(savepoint, change), ...changed(savepoint) }),
        )
      } catch (error) {
        throw await this.toTaken(error, change.email ?? '')
      }
    },

    /** Null if none was granted by hand: a person of an identity provider has none at first. */
    async manualRole(userId: number): Promise<Role | null> {
      const granted = db('role_grants').where({ organizationId, userId, source: 'manual' })
      return (await granted.first('role'))?.role ?? null
    },

    /** The role granted by hand. What groups grant is beside it, and the highest counts. */
    async setManualRole(userId: number, role: Role): Promise<void> {
      await db('role_grants')
        .insert({ organizationId, userId, source: 'manual', role })
        .onConflict(['organizationId', 'userId', 'source'])
        .merge({ role, grantedAt: db.fn.now() })
      await db('users').where({ organizationId, id: userId }).update(changed(db))
    },

    /** The row stays for the audit log; its address and user name become free. */
    async deprovision(id: number): Promise<void> {
      // The groups are shown without the person from now on, so their versions change.
      await db.raw(
        `with gone as (delete from group_members where organization_id = :organizationId and user_id = :id
           returning group_id)
         update groups set row_version = row_version + 1, updated_at = now()
         where organization_id = :organizationId and id in (select group_id from gone)`,
        { organizationId, id },
      )
      await db('saml_group_names').where({ organizationId, userId: id }).delete()
      await db('users')
        .where({ organizationId, id })
        .update({
          active: false,
          passwordHash: null,
          deprovisionedAt: db.fn.now(),
          ...changed(db),
        })
    },

    async toTaken(error: unknown, email: string): Promise<unknown> {
      const taken = ['users_email', 'users_user_name'].some((name) =>
        isUniqueViolation(error, name),
      )
      if (!taken) return error
      // A user name at the identity provider may be an address too.
      const [existing] = await rows().whereRaw(
        'lower(email) = lower(?) or lower(coalesce(user_name, email)) = lower(?)',
        [email, email],
      )
      return conflict('email_taken', 'Somebody here has this address already.', existing?.id)
    },

    async passwordHash(id: number): Promise<string | null> {
      const row = await rows().findOne({ id }).select('passwordHash')
      return row?.passwordHash ?? null
    },

    async setPassword(id: number, passwordHash: string, name?: string): Promise<void> {
      await rows()
        .where({ id })
        .patch({ passwordHash, ...(name !== undefined && { name }) })
    },
  }
}

/** A change made here replaces what the identity provider had sent, which would otherwise still be shown. */
function withoutProvisioned(db: Db, { name, email }: UserChange) {
  const keys = [
    ...(name === undefined ? [] : ['name', 'displayName']),
    ...(email === undefined ? [] : ['emails']),
  ]
  return keys.length === 0 ? {} : { profile: db.raw('profile - ?::text[]', [keys]) }
}

const changed = (db: Db) => ({
  updatedAt: db.fn.now(),
  rowVersion: db.raw('row_version + 1'),
})
