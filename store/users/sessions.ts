import type { Db } from '../connect.ts'

export const sessionDays = 7

export type NewSession = { userId: number; tokenHash: Buffer; ip: string; userAgent: string }

/** Sessions of one organization's people; known by the hash of their cookie alone. */
export function sessions(db: Db, organizationId: number) {
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
      return row
    },
    async revoke(id: number): Promise<void> {
      await db('sessions')
        .where({ organizationId, id })
        .whereNull('revokedAt')
        .update({ revokedAt: db.fn.now() })
    },
    async revokeAllOf(userId: number): Promise<void> {
      await db('sessions')
        .where({ organizationId, userId })
        .whereNull('revokedAt')
        .update({ revokedAt: db.fn.now() })
    },
  }
}
