import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Role } from '../../domain/access/roles.ts'
import { AppError, conflict, notFound } from '../../domain/errors.ts'

export const liveTokensPerUser = 20
const liveScimTokens = 5

export type ApiToken = {
  id: number
  name: string
  prefix: string
  role: Role
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
}

export type OwnedToken = ApiToken & { userId: number; userEmail: string | null; userName: string }

export type ScimToken = {
  id: number
  name: string
  createdAt: Date
  lastUsedAt: Date | null
  createdBy: string | null
}

type NewApiToken = {
  name: string
  role: Role
  expiresInDays: number
  hash: Buffer
  prefix: string
  /** Who configured the provider of the creating session: a token is trusted no more than its session. */
  idpSavedBy?: readonly number[] | null
}

type NewScimToken = Pick<NewApiToken, 'name' | 'hash' | 'prefix' | 'idpSavedBy'>

/** Bearer tokens of one organization. Only their hashes are stored. */
export function tokens(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const columns = ['id', 'name', 'prefix', 'role', 'createdAt', 'expiresAt', 'lastUsedAt']
  const allLive = () =>
    db('tokens')
      .where({ 'tokens.organizationId': organizationId, 'tokens.kind': 'pat' })
      .whereNull('tokens.revokedAt')
      .where('tokens.expiresAt', '>', db.fn.now())
  const revocation = () => ({ revokedAt: db.fn.now() })
  const revoked = <T extends ApiToken>([row]: T[]): T => {
    if (!row) throw notFound()
    return row
  }
  const liveScim = () => db('tokens').where({ organizationId, kind: 'scim' }).whereNull('revokedAt')
  const live = (userId: number) => allLive().where({ userId })

  return {
    async createApiToken(
      userId: number,
      { expiresInDays, ...token }: NewApiToken,
    ): Promise<ApiToken> {
      // The lock on the owner's row keeps two concurrent requests from both creating the twentieth token.
      const owner = await db('users')
        .where({ organizationId, id: userId, active: true })
        .whereNull('deprovisionedAt')
        .forUpdate()
        .first('id')
      // Deactivated while this request waited: the token would work again once the person is reactivated.
      if (!owner) throw new AppError('unauthenticated', 'Your account is deactivated.')
      const alive = await live(userId).select('id')
      if (alive.length >= liveTokensPerUser)
        throw conflict('token_limit', `At most ${liveTokensPerUser} live API tokens a person.`)
      const [row] = await db('tokens')
        .insert({
          organizationId,
          userId,
          kind: 'pat',
          ...token,
          expiresAt: db.raw('now() + make_interval(days => ?)', [expiresInDays]),
        })
        .returning(columns)
      return row
    },

    async listOf(userId: number): Promise<ApiToken[]> {
      return live(userId).select(columns).orderBy('id', 'desc')
    },

    /** Of anybody, or of this person alone. */
    async assertLive(id: number, userId?: number): Promise<void> {
      const row = await (userId === undefined ? allLive() : live(userId)).where({ id }).first('id')
      if (!row) throw notFound()
    },

    async assertLiveScim(id: number): Promise<void> {
      if (!(await liveScim().where({ id }).first('id'))) throw notFound()
    },

    async revokeOf(userId: number, id: number): Promise<ApiToken> {
      return revoked(await live(userId).where({ id }).update(revocation()).returning(columns))
    },

    /** Returns how many were revoked. */
    async revokeAllOf(userId: number): Promise<number> {
      return db('tokens')
        .where({ organizationId, userId, kind: 'pat' })
        .whereNull('revokedAt')
        .update(revocation())
    },

    /** Everybody's tokens, newest first. */
    async list(limit: number, before: number): Promise<OwnedToken[]> {
      return allLive()
        .join('users as u', (on) =>
          on.on('u.organizationId', 'tokens.organizationId').on('u.id', 'tokens.userId'),
        )
        .where('tokens.id', '<', before)
        .orderBy('tokens.id', 'desc')
        .limit(limit)
        .select(columns.map((column) => `tokens.${column}`))
        .select({ userId: 'u.id', userEmail: 'u.email', userName: 'u.name' })
    },

    async revoke(id: number): Promise<ApiToken & { userId: number }> {
      const rows: Array<ApiToken & { userId: number }> = await allLive()
        .where({ id })
        .update(revocation())
        .returning([...columns, 'userId'])
      return revoked(rows)
    },

    /** The people must be locked, or two concurrent requests could both create the fifth. */
    async createScimToken(userId: number, token: NewScimToken): Promise<number> {
      const alive = await liveScim().select('id')
      if (alive.length >= liveScimTokens)
        throw conflict('token_limit', `At most ${liveScimTokens} live SCIM tokens an organization.`)
      const [row] = await db('tokens')
        .insert({ organizationId, userId, kind: 'scim', ...token })
        .returning('id')
      return row.id
    },

    /** Whether this person made the token, live or not, or configured the identity provider by which its maker had signed in. */
    async isMadeBy(userId: number, id: number): Promise<boolean> {
      const made = db('tokens')
        .where({ organizationId, id })
        .whereRaw('? = any(array[user_id] || idp_saved_by)', [userId])
      return (await made.first('id')) !== undefined
    },

    async revokeScimToken(id: number): Promise<{ name: string }> {
      const [row] = await liveScim().where({ id }).update(revocation()).returning('name')
      if (!row) throw notFound()
      return row
    },

    /** At most five. */
    async listScim(): Promise<ScimToken[]> {
      return db('tokens as t')
        .leftJoin('users as u', (on) =>
          on.on('u.organizationId', 't.organizationId').on('u.id', 't.userId'),
        )
        .where({ 't.organizationId': organizationId, 't.kind': 'scim' })
        .whereNull('t.revokedAt')
        .orderBy('t.id')
        .select('t.id', 't.name', 't.createdAt', 't.lastUsedAt')
        .select({ createdBy: db.raw('coalesce(u.email, u.name)') })
    },

    /** Forgets an attempt that was given up before it did anything, so that it does not count. */
    async forgetRunToken(workspaceRunId: number, hash: Buffer): Promise<void> {
      await db('tokens').where({ organizationId, workspaceRunId, kind: 'run', hash }).delete()
    },
  }
}
