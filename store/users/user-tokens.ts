import type { Db, PlatformDb } from '../connect.ts'

export type UserTokenPurpose = 'invitation' | 'password_reset'

/** Links in mails: single use, known by their hash alone. */
export function userTokens(db: Db, organizationId: number) {
  return {
    async create(
      userId: number,
      purpose: UserTokenPurpose,
      token: { hash: Buffer; hours: number },
    ) {
      await db('user_tokens').insert({
        organizationId,
        userId,
        purpose,
        hash: token.hash,
        expiresAt: db.raw(`now() + make_interval(hours => ?)`, [token.hours]),
      })
    },
    /** Compare-and-set, so that of two clicks on one link exactly one is taken. */
    async use(hash: Buffer, purpose: UserTokenPurpose): Promise<number | undefined> {
      const [row] = await db('user_tokens')
        .where({ organizationId, hash, purpose })
        .whereNull('usedAt')
        .where('expiresAt', '>', db.fn.now())
        .update({ usedAt: db.fn.now() })
        .returning('userId')
      return row?.userId
    },
  }
}

/** Which organization a link belongs to, before any is known. */
export async function organizationOfUserToken(
  db: PlatformDb,
  hash: Buffer,
): Promise<number | undefined> {
  const row = await db('user_tokens').where({ hash }).first('organizationId')
  return row?.organizationId
}
