import { unwrap, type Tenant } from '../driver/tenant.ts'
import { sessionDays } from '../../domain/access/session-days.ts'
import { notFound } from '../../domain/errors.ts'

export type NewSession = {
  userId: number
  tokenHash: Buffer
  ip: string
  userAgent: string
}

export type Session = {
  id: number
  kind: 'password' | 'saml'
  ip: string | null
  userAgent: string | null
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
}

/** Sessions of one organization's people. Only the hashes of their cookies are stored. */
export function sessions(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const open = (userId: number) =>
    db('sessions')
      .where({ organizationId, userId })
      .whereNull('revokedAt')
      .where('expiresAt', '>', db.fn.now())
      .where('lastSeenAt', '>', db.raw(`now() - interval '12 hours'`))

  return {
    async create(session: NewSession): Promise<{ id: number; expiresAt: Date }> {
      const [row] = await db('sessions')
        .insert({
          organizationId,
          ...session,
          userAgent: session.userAgent.slice(0, 400),
          expiresAt: db.raw(`now() + interval '${sessionDays} days'`),
        })
        .returning(['id', 'expiresAt'])
      await db('users')
        .where({ organizationId, id: session.userId })
        .whereNull('firstSignedInAt')
        .update({ firstSignedInAt: db.fn.now() })
      return row
    },
    async revoke(id: number): Promise<void> {
      await db('sessions')
        .where({ organizationId, id })
        .whereNull('revokedAt')
        .update({ revokedAt: db.fn.now() })
    },
    /** Returns how many were ended. */
    async revokeAllOf(userId: number): Promise<number> {
      return db('sessions')
        .where({ organizationId, userId })
        .whereNull('revokedAt')
        .update({ revokedAt: db.fn.now() })
    },
    async revokeOthersOf(userId: number, kept: number): Promise<void> {
      await db('sessions')
        .where({ organizationId, userId })
        .whereNot({ id: kept })
        .whereNull('revokedAt')
        .update({ revokedAt: db.fn.now() })
    },
    /** The sessions that are valid now, newest first. */
    async listOf(
      userId: number,
      { limit, before }: { limit: number; before: number },
    ): Promise<Session[]> {
      return open(userId)
        .select('id', 'kind', 'ip', 'userAgent', 'createdAt', 'lastSeenAt')
        .select(db.raw(`least(expires_at, last_seen_at + interval '12 hours') as expires_at`))
        .where('id', '<', before)
        .orderBy('id', 'desc')
        .limit(limit)
    },
    /** Throws not-found, also for another person's session, so that session ids cannot be probed. */
    async assertOpen(userId: number, id: number): Promise<void> {
      if (!(await open(userId).where({ id }).first('id'))) throw notFound()
    },
    async revokeOf(userId: number, id: number): Promise<void> {
      const ended = await open(userId).where({ id }).update({ revokedAt: db.fn.now() })
      if (ended === 0) throw notFound()
    },
  }
}
