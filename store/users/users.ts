import { Model } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Role } from '../../domain/access/roles.ts'
import { isUniqueViolation, type Db } from '../connect.ts'

export class UserRow extends Model {
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
  role: Role
  active: boolean
  platformAdmin: boolean
  createdAt: Date
}

type Able = { lowest: Role; except?: Iterable<number>; limit: number }

const effectiveRole = `coalesce((select max(g.role) from role_grants g
  where g.organization_id = users.organization_id and g.user_id = users.id), 'Viewer') as role`

/** The people of one organization. A deprovisioned person is not found: the row stays for the audit log alone. */
export function users(db: Db, organizationId: number) {
  const rows = () => UserRow.query(db).where({ organizationId }).whereNull('deprovisionedAt')
  const withRole = () =>
    rows()
      .select('id', 'publicId', 'email', 'name', 'active', 'platformAdmin', 'createdAt')
      .select(db.raw(effectiveRole))
      .castTo<User[]>()

  return {
    async get(id: number): Promise<User> {
      const [user] = await withRole().where({ id })
      if (!user) throw notFound()
      return user
    },

    async list(limit: number, after: number): Promise<User[]> {
      return withRole().where('id', '>', after).orderBy('id').limit(limit)
    },

    async listByIds(ids: readonly number[]): Promise<User[]> {
      return ids.length === 0 ? [] : withRole().whereIn('id', [...ids])
    },

    /** Active people who have at least this role, in the order in which they came; not these ones. */
    async listAble({ lowest, except = [], limit }: Able): Promise<User[]> {
      return withRole()
        .where({ active: true })
        .whereNotIn('id', [...except])
        .whereExists(
          db('role_grants as g')
            .whereRaw('g.organization_id = users.organization_id and g.user_id = users.id')
            .where('g.role', '>=', lowest)
            .select(db.raw('1')),
        )
        .orderBy('id')
        .limit(limit)
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
        // A savepoint of its own, so that a refused row leaves the transaction usable for the look-up.
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
        if (!isUniqueViolation(error)) throw error
        const [existing] = await rows().whereRaw('lower(email) = lower(?)', [user.email])
        throw conflict('email_taken', 'Somebody here has this address already.', existing?.id)
      }
    },

    async setPassword(id: number, passwordHash: string, name?: string): Promise<void> {
      await rows()
        .where({ id })
        .patch({ passwordHash, ...(name !== undefined && { name }) })
    },
  }
}
